import { DECISION_NAMES, DECISIONS } from '../decisions/decisions.ts'
import { PLAN_NAMES } from '../domain/limits/plan.ts'

/** Of the decisions in a configuration file, by name. */
export const decisionSchemas = Object.fromEntries(
  DECISION_NAMES.map((name) => {
    const { schema, question, why, default: standard } = DECISIONS[name]
    return [name, { ...schema, description: `${question} (default: ${standard}) ${why}` }]
  }),
)

/** Of the limits in a configuration file, by plan. */
export const limitSchemas = Object.fromEntries(
  PLAN_NAMES.map((plan) => [plan, decisionSchemas[`plans.${plan}`]]),
)

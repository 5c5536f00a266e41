import { DECISION_NAMES, DECISIONS } from '../contract/decisions/decisions.ts'
import { PLAN_NAMES } from '../world/plan.ts'

/** The schema of each decision in a configuration file, by name. */
export const decisionSchemas = Object.fromEntries(
  DECISION_NAMES.map((name) => {
    const { schema, question, why, default: standard } = DECISIONS[name]
    return [name, { ...schema, description: `${question} (default: ${standard}) ${why}` }]
  }),
)

/** The schema of the limits of each plan in a configuration file. */
export const limitSchemas = Object.fromEntries(
  PLAN_NAMES.map((plan) => [plan, decisionSchemas[`plans.${plan}`]]),
)

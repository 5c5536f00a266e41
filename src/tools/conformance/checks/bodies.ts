import type { RecordShape } from '../../../contract/openapi/record-shape.ts'
import type { Check, CheckContext, ResponseViolation } from '../check.ts'
import { quoted, shown, shownField, shownValue } from '../quote.ts'
import type { ServiceResponse } from '../service-response.ts'
import { isRecord } from '../values.ts'

/** Sections 1, 2 and 7: the body of every response. They send nothing; they run after the others. */
export const bodyChecks = ({ names }: RecordShape): Check[] => [
  {
    id: 'media-type',
    section: '1, 4',
    title: 'every body is application/json',
    run(context) {
      for (const answer of described(context)) {
        const isWrong = violationsOf(context, answer).some(({ path }) => path === 'Content-Type')
        context.expect(!isWrong, answer, 'Content-Type: application/json', shownField(answer, 'Content-Type'))
      }
    },
  },
  {
    id: 'pet-schema',
    section: '2',
    title: `every pet fits the schema Pet: ${names.join(', ')}`,
    run(context) {
      for (const answer of described(context).filter(isSuccess)) {
        const isList = answer.sent.operationId === 'listPets'
        if (isList && answer.status === 200 && !Array.isArray(answer.json)) continue // list-array reports that
        for (const violation of bodyViolations(context, answer)) {
          context.expect(false, answer, 'the schema of a Pet', violationText(violation, answer))
        }
      }
    },
  },
  {
    id: 'error-shape',
    section: '2, 7',
    title: 'every error body has exactly code, message and status',
    run(context) {
      for (const answer of described(context).filter(isError)) expectErrorShape(context, answer)
    },
  },
  {
    id: 'error-status',
    section: '2',
    title: 'the status in an error body is the HTTP status',
    run(context) {
      for (const answer of described(context).filter(isError)) {
        const { status } = (isRecord(answer.json) ? answer.json : {}) as { status?: unknown }
        if (typeof status !== 'number') continue // error-shape reports that
        context.expect(status === answer.status, answer, `status ${answer.status}`, `status ${status}`)
      }
    },
  },
]

/** The responses of operations that the interface describes. */
export const described = ({ history }: CheckContext): ServiceResponse[] =>
  history.filter(({ sent }) => sent.operationId !== 'listOrders')

export const isError = ({ status }: ServiceResponse): boolean => status >= 400

const isSuccess = ({ status }: ServiceResponse): boolean => status >= 200 && status < 300

/** The violations of a response; any 2xx is validated as the declared success status. */
export function violationsOf(
  { validate }: CheckContext,
  answer: ServiceResponse,
): readonly ResponseViolation[] {
  const { sent, headers, body } = answer
  const status = isSuccess(answer) ? SUCCESS[sent.operationId] : answer.status
  return validate(sent.operationId, { status, headers, body })
}

const SUCCESS = { listPets: 200, createPet: 201, getPet: 200, listOrders: 200 } as const

/** The violations of a body. The Content-Type is ignored: another check covers it. */
function bodyViolations(context: CheckContext, answer: ServiceResponse): ResponseViolation[] {
  const headers = ['content-type', 'application/json']
  return violationsOf(context, { ...answer, headers }).filter(({ where }) => where === 'body')
}

function expectErrorShape(context: CheckContext, answer: ServiceResponse): void {
  const expected = 'an Error: {"code": text, "message": text, "status": integer}'
  if (!isRecord(answer.json)) {
    context.expect(false, answer, expected, shown(answer))
    return
  }
  for (const violation of bodyViolations(context, answer)) {
    context.expect(false, answer, expected, violationText(violation, answer))
  }
  const others = Object.keys(answer.json).filter((name) => !['code', 'message', 'status'].includes(name))
  context.expect(
    others.length === 0,
    answer,
    expected,
    `further members: ${quoted(others.join(', '), answer)}`,
  )
}

/** A violation in words, with the invalid value. */
function violationText({ path, message }: ResponseViolation, answer: ServiceResponse): string {
  const value = path?.split('.').reduce<unknown>((part, step) => memberOf(part, step), answer.json)
  return path === undefined ? message : `${path} is ${shownValue(value, answer)}: ${message}`
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

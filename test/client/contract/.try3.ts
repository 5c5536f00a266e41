import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import { checkContract } from '../../../src/client/contract/contract.ts'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { createJudge } from '../../../src/prism/judge.ts'
import { verdictLines, verdictSummary } from '../../../src/views/verdicts.ts'
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http'
const plain = (t: string) => t
const paint = { dim: plain, good: plain, warn: plain, bad: plain }
const contract = animalStoreContract()
const judge = await createJudge(contract.document)
const operations = await getHttpOperationsFromSpec(structuredClone(contract.document) as object)
const logger: any = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {}, success() {}, child: () => logger }
const prism = createInstance({ isProxy: false, checkSecurity: true, validateRequest: true, validateResponse: true, errors: false, upstreamProxy: undefined, mock: { dynamic: false } } as any, { logger } as any)
const fetch = async (input: string, init: any) => {
  const url = new URL(input)
  const headers = Object.fromEntries(new Headers(init.headers))
  const result = await prism.request({ method: init.method.toLowerCase(), url: { path: url.pathname.replace('/v1', ''), query: Object.fromEntries(url.searchParams) as any, baseUrl: '' }, headers, body: init.body ? (() => { try { return JSON.parse(init.body) } catch { return undefined } })() : undefined } as any, operations)()
  if (result._tag === 'Left') { const e: any = result.left; return new Response(JSON.stringify({ type: e.name, title: e.message, status: e.status ?? 500, detail: e.detail }), { status: e.status ?? 500, headers: { 'content-type': 'application/problem+json' } }) }
  const { output } = result.right as any
  return new Response(typeof output.body === 'string' ? output.body : JSON.stringify(output.body), { status: output.statusCode, headers: output.headers })
}
const report = await checkContract({ baseUrl: 'http://prism/v1', key: 'k', contract, judge: (id, r) => judge.judgeResponse(id, r), allowWrites: true, exhaustLimits: true, fetch, onVerdict: (v) => process.stdout.write(verdictLines(v, paint)) , sleep: async () => {}, onWait: (ms, why) => console.log('wait', ms, why)})
console.log(verdictSummary(report, paint))

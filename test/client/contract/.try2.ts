import { checkContract } from '../../../src/client/contract/contract.ts'
import { animalStoreContract } from '../../../src/contract/animal-store.ts'
import { createJudge } from '../../../src/prism/judge.ts'
import { createSandbox } from '../../../src/sandbox.ts'
import { verdictLines, verdictSummary } from '../../../src/views/verdicts.ts'

const plain = (t: string) => t
const paint = { dim: plain, good: plain, warn: plain, bad: plain }
const contract = animalStoreContract()
const judge = await createJudge(contract.document)
const sandbox = await createSandbox({ port: 0, ...(process.argv[3] && { fixture: process.argv[3] }) })
const report = await checkContract({
  baseUrl: sandbox.baseUrl,
  key: process.argv[2] ?? 'psk_pro',
  contract,
  judge: (id, r) => judge.judgeResponse(id, r),
  allowWrites: true,
  exhaustLimits: true,
  sleep: async (ms) => sandbox.clock.advance(`${Math.round(ms)}ms`),
  onWait: (ms, why) => console.log('   wait', ms, why),
  onVerdict: (v) => process.stdout.write(verdictLines(v, paint)),
})
console.log(verdictSummary(report, paint))
await sandbox.close()

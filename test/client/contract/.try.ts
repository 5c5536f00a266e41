import { checkContract } from '/work/main/src/client/contract/contract.ts'
import { animalStoreContract } from '/work/main/src/contract/animal-store.ts'
import { createJudge } from '/work/main/src/prism/judge.ts'
import { verdictLines, verdictSummary } from '/work/main/src/views/verdicts.ts'
import {
  DEFECTS,
  type Defect,
  KEY,
  startFaultyService,
} from '/work/main/test/client/contract/faulty-service.ts'

const plain = (t: string) => t
const paint = { dim: plain, good: plain, warn: plain, bad: plain }
const contract = animalStoreContract()
const judge = await createJudge(contract.document)
const wanted = process.argv.slice(2)
for (const defect of wanted.length ? wanted : [undefined, ...DEFECTS]) {
  const service = await startFaultyService({
    ...(defect !== 'none' && defect && { defect: defect as Defect }),
    perMinute: 90,
  })
  const report = await checkContract({
    baseUrl: service.baseUrl,
    key: KEY,
    contract,
    judge: (id, r) => judge.judgeResponse(id, r),
    allowWrites: true,
    exhaustLimits: true,
    sleep: async (ms) => service.skip(ms),
    onWait: (ms, why) => console.log('   wait', ms, why),
  })
  await service.close()
  const failed = report.checks.filter((c) => c.outcome === 'failed').map((c) => c.id)
  console.log(defect ?? 'none', report.requests, failed.join(' '))
  if (wanted.length) {
    console.log(report.checks.map((c) => verdictLines(c, paint)).join(''))
    console.log(verdictSummary(report, paint))
  }
}

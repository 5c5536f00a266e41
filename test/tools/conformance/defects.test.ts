import { describe, expect, it } from 'vitest'
import { check, EVERYTHING, idsOf } from './check.ts'
import { DEFECTS, type Defect } from './defects.ts'
import { startFaultyService } from './faulty-service.ts'

async function failedOf(defect?: Defect): Promise<string[]> {
  await using service = await startFaultyService({ defect })
  const sleep = async (milliseconds: number) => service.skip(milliseconds)
  const report = await check({ baseUrl: service.baseUrl, ...EVERYTHING, sleep })
  return idsOf(report, 'failed')
}

describe('a service that shares no code with the sandbox', () => {
  it('passes all checks without a defect', async () => {
    expect(await failedOf()).toEqual([])
  })

  it.each(Object.keys(DEFECTS) as Defect[])('fails exactly the checks of the defect %s', async (defect) => {
    expect(new Set(await failedOf(defect))).toEqual(new Set(DEFECTS[defect]))
  })
})

import type { TestInfo } from '@playwright/test'

/** The length of the title in a name. The id distinguishes tests with the same title. */
const SLUG = 30
const ID = 12

type Identity = Pick<TestInfo, 'title' | 'testId' | 'retry' | 'repeatEachIndex'>

/** The namespace of one run of a test: the same in every run of the suite, with the same random choices. */
export function namespaceOf({ title, testId, retry, repeatEachIndex }: Identity): string {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG)
    .replace(/^-|-$/g, '')
  const id = testId.replace(/[^A-Za-z0-9]/g, '').slice(-ID)
  return [slug, id, repeatEachIndex, retry].filter((part) => part !== '').join('-')
}

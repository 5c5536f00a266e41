import type { Command } from 'commander'
import { UsageError } from '../config/usage-error.ts'
import type { Shares } from '../contract/generate/shares.ts'

export interface GeneratorFlags {
  readonly count?: string
  readonly seed?: string
  readonly status?: string
}

/** Which pets to generate; a member is undefined if its flag was not given. */
export interface Generator {
  readonly count: number | undefined
  readonly seed: number | undefined
  readonly status: Shares | undefined
}

const MOST = 1_000_000

export const generatorFlags = (command: Command): Command =>
  command
    .option('--count <number>', `how many pets to generate, up to ${MOST}`)
    .option('--seed <number>', 'the same seed gives the same pets')
    .option('--status <shares>', 'shares of each status, such as available=60,pending=30,sold=10')

export async function readGeneratorFlags({ count, seed, status }: GeneratorFlags): Promise<Generator> {
  return {
    count: whole('--count', count, MOST),
    seed: whole('--seed', seed, Number.MAX_SAFE_INTEGER),
    status: status === undefined ? undefined : await readShares(status),
  }
}

function whole(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageError(`${flag}: "${text}" is not a valid number`, `use an integer from 0 to ${most}`)
}

async function readShares(text: string): Promise<Shares> {
  const { parseShares } = await import('../contract/generate/shares.ts')
  try {
    return parseShares(text)
  } catch (error) {
    throw new UsageError(`--status: ${(error as Error).message}`)
  }
}

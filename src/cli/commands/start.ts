import { networkInterfaces } from 'node:os'
import { isAbsolute, relative } from 'node:path'
import type { Command } from 'commander'
import { printableLines } from '../../domain/printable.ts'
import { createSandbox, type Sandbox } from '../../sandbox.ts'
import { banner, readyLine } from '../../views/banner.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { eventLine, opening } from '../opening.ts'
import { untilStopped } from '../signals.ts'
import { addStartOptions, startOptions } from '../start-options.ts'

export function register(command: Command, io: Io): void {
  addStartOptions(command).action(async (flags: object) => {
    const { options, readyFile, configFile } = await startOptions({ ...flags }, io)
    const stopped = untilStopped()
    const sandbox = await opening(() => createSandbox(options), options, readyFile)
    if (configFile !== undefined) io.talk(`Configuration: ${shown(configFile, io)}\n`)
    for (const notice of sandbox.info.notices) io.talk(`${io.talkPaint.warn(printableLines(notice))}\n`)
    io.out(options.log === 'json' ? eventLine(sandbox) : greeting(sandbox, options.host, io))
    await stopped
    await sandbox.close()
  })
  addExamples(
    command,
    '--port 0',
    '--fixture busy --fresh',
    '--limits free=5/100 --set list.limit=clamp',
    '--now 2030-12-04T23:59:50Z',
  )
}

function greeting({ baseUrl, controlUrl, port, info }: Sandbox, host: string | undefined, io: Io): string {
  const addresses = addressesBehind(host).map((address) => `http://${address}:${port}/v1`)
  const dataFile = info.dataFile === null ? null : shown(info.dataFile, io)
  return `${banner({ ...info, baseUrl, controlUrl, dataFile, addresses }, io.paint)}${readyLine(baseUrl)}\n`
}

/** The addresses of this machine, where a host stands for all of them. */
function addressesBehind(host: string | undefined): string[] {
  if (host !== '0.0.0.0' && host !== '::') return []
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => !internal && (family === 'IPv4' || host === '::'))
    .filter(({ address }) => !address.startsWith('fe80:'))
    .map(({ address, family }) => (family === 'IPv4' ? address : `[${address}]`))
    .slice(0, MOST_ADDRESSES)
}

/** So many fit beside everything else into a terminal of 24 lines. */
const MOST_ADDRESSES = 4

/** A file as it is written from here, where that is shorter. */
function shown(file: string, { cwd }: Io): string {
  const near = isAbsolute(file) ? relative(cwd, file) : file
  return near.length < file.length ? near : file
}

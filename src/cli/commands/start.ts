import { isAbsolute, relative } from 'node:path'
import type { Command } from 'commander'
import { createSandbox, type Sandbox } from '../../sandbox.ts'
import { banner, readyLine } from '../../views/banner.ts'
import { addExamples } from '../help.ts'
import type { Io } from '../io.ts'
import { eventLine, opening } from '../opening.ts'
import { endUnread, untilStopped } from '../signals.ts'
import { addStartOptions, startOptions } from '../start-options.ts'

export function register(command: Command, io: Io): void {
  addStartOptions(command).action(async (flags: object) => {
    const { options, readyFile, configFile } = await startOptions({ ...flags }, io)
    const stopped = untilStopped()
    const sandbox = await opening(() => createSandbox(options), options, readyFile)
    if (configFile !== undefined) io.talk(`Configuration: ${shown(configFile, io)}\n`)
    for (const notice of sandbox.info.notices) io.talk(`${io.talkPaint.warn(notice)}\n`)
    io.out(options.log === 'json' ? eventLine(sandbox) : greeting(sandbox, io))
    await stopped
    await sandbox.close()
    endUnread()
  })
  addExamples(
    command,
    '--port 0',
    '--fixture busy --fresh',
    '--limits free=5/100 --set list.limit=clamp',
    '--now 2030-12-04T23:59:50Z',
  )
}

function greeting({ baseUrl, controlUrl, info }: Sandbox, io: Io): string {
  const dataFile = info.dataFile === null ? null : shown(info.dataFile, io)
  return `${banner({ ...info, baseUrl, controlUrl, dataFile }, io.paint)}${readyLine(baseUrl)}\n`
}

/** A file as it is written from here, where that is shorter. */
function shown(file: string, { cwd }: Io): string {
  const near = isAbsolute(file) ? relative(cwd, file) : file
  return near.length < file.length ? near : file
}

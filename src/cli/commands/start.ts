import { networkInterfaces } from 'node:os'
import { createSandbox, type Sandbox } from '../../compose/sandbox.ts'
import { banner, readyLine } from '../../views/banner.ts'
import { isUnspecified } from '../../world/traffic/peer.ts'
import { command, type Io, talkNotice } from '../command.ts'
import { isDetached, reportReady, startDetached } from '../detached.ts'
import { ENVIRONMENT, shortPath, startOptions, startTakes } from '../start-options.ts'
import { endUnread, eventLine, startup, untilStopped } from '../startup.ts'

export const start = command({
  takes: {
    '--detach': 'run in the background and exit when ready; petstore-sandbox stop ends it',
    '--json': 'print the ready event as JSON instead of the banner',
    ...startTakes(),
  },
  notes: [ENVIRONMENT],
  examples: [
    '--port 0',
    '--fixture busy --fresh',
    '--limits free=5/100 --set list.limit=clamp',
    '--now 2030-12-04T23:59:50Z',
    'start --detach --json',
  ],
  async run({ detach, json, ...given }, io) {
    if (detach) return startDetached(io)
    const { options, readyFile, located } = await startOptions(given, io)
    const stopped = untilStopped()
    const sandbox = await startup(() => located(createSandbox(options)), options, readyFile)
    for (const { text } of sandbox.info.notices) talkNotice(text, io)
    const ready = json || options.log === 'json' ? eventLine(sandbox) : greeting(sandbox, options.host, io)
    try {
      if (isDetached(io)) reportReady(sandbox.baseUrl, ready, io)
      else io.out(ready)
    } catch (error) {
      await sandbox.close()
      throw error
    }
    // Only a terminal has keys; other starts save loading the code.
    const endKeys = io.input.isTTY
      ? (await import('../terminal-keys.ts')).listenToTerminal(sandbox, io, options.controlToken)
      : () => {}
    await stopped
    endKeys()
    await sandbox.close()
    endUnread()
  },
})

function greeting({ baseUrl, controlUrl, port, info }: Sandbox, host: string | undefined, io: Io): string {
  const { protocol } = new URL(baseUrl)
  const addresses = addressesBehind(host).map((address) => `${protocol}//${address}:${port}/v1`)
  const dataFile = info.dataFile === null ? null : shortPath(info.dataFile, io.cwd)
  return `${banner({ ...info, baseUrl, controlUrl, dataFile, addresses }, io.paint)}${readyLine(baseUrl)}\n`
}

/** The addresses of this machine if the host stands for all of them; otherwise none. */
function addressesBehind(host = ''): string[] {
  if (!isUnspecified(host)) return []
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => !internal && (family === 'IPv4' || host === '::'))
    .filter(({ address }) => !address.startsWith('fe80:'))
    .map(({ address, family }) => (family === 'IPv4' ? address : `[${address}]`))
    .slice(0, MAX_ADDRESSES)
}

/** As many as fit a terminal of 24 lines. */
const MAX_ADDRESSES = 4

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasPart } from '../parts.ts'

export const hasNginx = hasPart(
  spawnSync('nginx', ['-v']).status === 0,
  'nginx (the package nginx)',
  'the tests behind a proxy',
)

/** Starts nginx with these blocks in its `http`. Resolves when it answers at `url`. All its files are in `folder`. */
export async function startNginx(folder: string, blocks: string, url: string): Promise<AsyncDisposable> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path "${folder}/${what}";`,
  )
  const file = join(folder, 'nginx.conf')
  const lines = [
    'daemon off; worker_processes 1;',
    `pid "${folder}/nginx.pid"; error_log "${folder}/error.log";`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')}`,
    blocks,
    '}',
  ]
  writeFileSync(file, lines.join('\n'))
  const nginx = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], {
    stdio: 'inherit',
  })
  while (nginx.exitCode === null) {
    const response = await fetch(url).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.ok) break
    await pause(20)
  }
  if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`)
  return {
    async [Symbol.asyncDispose]() {
      nginx.kill()
      if (nginx.exitCode === null && nginx.signalCode === null) await once(nginx, 'close')
    },
  }
}

import type { SomeHandlers } from './operation.ts'
import { textReply } from './reply.ts'
import { metric } from './request-counts.ts'

export const metrics = {
  getMetrics: {
    observe: ({ deps: { counts, worlds, loopDelay } }) => {
      const delay = loopDelay()
      const lines = [
        ...counts.lines(),
        ...metric('petstore_worlds', 'gauge', 'Namespaces.', [['', worlds.all().length]]),
        ...metric('petstore_kept_bytes', 'gauge', 'Memory for everything that is kept of requests.', [
          ['', worlds.budget.bytes],
        ]),
        ...(delay === undefined
          ? []
          : metric(
              'petstore_loop_delay_seconds',
              'gauge',
              'The longest delay of the event loop since it was last asked for.',
              [['', delay]],
            )),
      ]
      return textReply(200, `${lines.join('\n')}\n`, 'text/plain; version=0.0.4; charset=utf-8')
    },
  },
} satisfies SomeHandlers

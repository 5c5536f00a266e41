import { describe, expect, it } from 'vitest'
import { Slices } from '../../src/time/slices.ts'

/** An event loop whose turns are run by the test, and whose clock advances only with the work. */
function loop() {
  let now = 0
  let scheduled: (() => void)[] = []
  const slices = new Slices({ later: (act) => void scheduled.push(act), clock: () => now })
  /** Runs turns until nothing is left to do; returns the duration of each. */
  const turns = async (): Promise<number[]> => {
    const taken: number[] = []
    for (;;) {
      await new Promise(setImmediate)
      const due = scheduled
      scheduled = []
      if (due.length === 0) return taken
      expect(due).toHaveLength(1)
      const began = now
      for (const act of due) act()
      await new Promise(setImmediate)
      taken.push(now - began)
    }
  }
  const work = (milliseconds: number) => {
    now += milliseconds
  }
  return { slices, turns, work }
}

describe('one queue of slices', () => {
  it('takes 5 ms of a turn for all jobs together', async () => {
    const { slices, turns, work } = loop()
    function* steps(result: number) {
      for (let i = 0; i < 20; i++) {
        work(0.5)
        yield
      }
      return result
    }
    const jobs = Promise.all(Array.from({ length: 40 }, (_, i) => slices.run(steps(i))))
    const taken = await turns()
    expect(Math.max(...taken)).toBeLessThanOrEqual(5.5)
    expect(taken.length).toBeLessThan(90)
    expect(await jobs).toEqual(Array.from({ length: 40 }, (_, i) => i))
  })

  it('gives each job its share: a short one does not wait for a long one', async () => {
    const { slices, turns, work } = loop()
    const ended: string[] = []
    function* steps(count: number) {
      for (let i = 0; i < count; i++) {
        work(1)
        yield
      }
    }
    void slices.run(steps(100)).then(() => ended.push('long'))
    void slices.run(steps(2)).then(() => ended.push('short'))
    const text = (async () => {
      for await (const _ of slices.text(steps(3) as unknown as Iterable<string>));
      ended.push('text')
    })()
    const taken = await turns()
    await text
    expect(ended).toEqual(['short', 'text', 'long'])
    expect(Math.max(...taken)).toBeLessThanOrEqual(6)
  })

  it('code outside of it continues in a turn of its own', async () => {
    const { slices, turns, work } = loop()
    async function* parts() {
      for (let i = 0; i < 10; i++) {
        work(4)
        yield 'x'
      }
    }
    const read = async () => {
      let text = ''
      for await (const part of slices.text(parts())) text += part
      return text
    }
    const texts = Promise.all([read(), read(), read()])
    expect(Math.max(...(await turns()))).toBeLessThanOrEqual(4)
    expect(await texts).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(10)])
  })

  it('short parts share a turn: a turn of a page takes 4 ms', async () => {
    const { slices, turns } = loop()
    async function* parts() {
      for (let i = 0; i < 1000; i++) yield 'x'.repeat(100)
    }
    const read = (async () => {
      let text = ''
      for await (const part of slices.text(parts())) text += part
      return text
    })()
    let taken = 0
    for (let more = await turns(); more.length > 0; more = await turns()) taken += more.length
    expect(taken).toBeLessThan(5)
    expect(await read).toHaveLength(100_000)
  })

  it('an error ends only its own job', async () => {
    const { slices, turns } = loop()
    // biome-ignore lint/correctness/useYield: it throws before
    function* broken(): Generator<undefined, string> {
      throw new Error('broken')
    }
    function* whole(): Generator<undefined, string> {
      yield
      return 'whole'
    }
    const jobs = Promise.allSettled([slices.run(broken()), slices.run(whole())])
    await turns()
    expect(await jobs).toMatchObject([{ reason: new Error('broken') }, { value: 'whole' }])
  })
})

describe('a text in parts', () => {
  const items = (count: number, onItem = (_: number) => {}) =>
    (function* () {
      for (let i = 0; i < count; i++) {
        onItem(i)
        yield 'x'.repeat(100)
      }
    })()

  it('has parts of bounded length, which are complete together', async () => {
    const { slices, turns } = loop()
    const parts: string[] = []
    const read = (async () => {
      for await (const part of slices.text(items(10_000))) parts.push(part)
    })()
    await turns()
    await read
    expect(parts.length).toBeGreaterThan(14)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(66_000)
    expect(parts.join('')).toHaveLength(1_000_000)
  })

  it('is created as it is read, and ends when its reader ends', async () => {
    const { slices, turns } = loop()
    let made = 0
    let closed = false
    const source = (function* () {
      try {
        yield* items(1_000_000, (i) => {
          made = i
        })
      } finally {
        closed = true
      }
    })()
    const text = slices.text(source)
    const first = text.next()
    await turns()
    expect((await first).value).toHaveLength(65_600)
    expect(made).toBeLessThan(700)
    await text.return(undefined)
    expect(closed).toBe(true)
  })
})

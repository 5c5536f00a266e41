import { describe, expect, it } from 'vitest'
import { turn } from '../../src/node/turns.ts'
import { Timeline } from '../../src/time/timeline.ts'

describe('the timeline', () => {
  it('wakes each sleeper at its own instant, before the command that is not earlier', async () => {
    const timeline = new Timeline(1000, turn)
    const did: string[] = []
    const sleep = async (name: string, ms: number) => {
      await timeline.sleep(ms)
      did.push(`${name} at ${timeline.now()}`)
    }
    void sleep('late', 30)
    void sleep('early', 10).then(() => sleep('again', 5))
    await timeline.run(1020, () => did.push(`command at ${timeline.now()}`))
    expect(did).toEqual(['early at 1010', 'again at 1015', 'command at 1020'])
    await timeline.advance(1030)
    await turn()
    expect(did.at(-1)).toBe('late at 1030')
  })

  it('applies a command at once where no sleeper is due, and never before the one that came first', async () => {
    const timeline = new Timeline(1000, turn)
    void timeline.sleep(5)
    expect(timeline.run(1004, () => 'done')).toBe('done')
    const did: string[] = []
    const first = timeline.run(1006, () => did.push('first'))
    const second = timeline.run(1003, () => did.push('second'))
    await Promise.all([first, second])
    expect(did).toEqual(['first', 'second'])
    expect(timeline.now()).toBe(1006)
  })

  it('a timer that is early does not set time back; a clock that was set back does, and prolongs no sleep', async () => {
    const timeline = new Timeline(1000, turn)
    await timeline.advance(1100)
    timeline.run(1099, (from) => expect([from, timeline.now()]).toEqual([1100, 1100]))
    let due = 0
    timeline.onDue = (instant) => {
      due = instant
    }
    let isAwake = false
    void timeline.sleep(50).then(() => {
      isAwake = true
    })
    timeline.run(500, (from) => expect([from, timeline.now()]).toEqual([1100, 500]))
    expect(due).toBe(550)
    await timeline.advance(549)
    expect(isAwake).toBe(false)
    await timeline.advance(550)
    await turn()
    expect(isAwake).toBe(true)
  })

  it('only a command sets the clock back, also where it waited for another one', async () => {
    const timeline = new Timeline(1000, turn)
    void timeline.sleep(5)
    const late = timeline.run(2000, () => {})
    const advanced = timeline.advance(1500)
    await Promise.all([late, advanced])
    expect(timeline.now()).toBe(2000)
    void timeline.sleep(5)
    const command = timeline.run(2005, () => {})
    let before = 0
    const setBack = timeline.run(1000, (from) => {
      before = from
    })
    await Promise.all([command, setBack])
    expect([before, timeline.now()]).toEqual([2005, 1000])
  })

  it('wakes a sleeper early when one of its signals aborts', async () => {
    const timeline = new Timeline(0, turn)
    const controller = new AbortController()
    const slept = timeline.sleep(60_000, controller.signal)
    const dues: number[] = []
    timeline.onDue = (due) => dues.push(due)
    controller.abort()
    expect(dues).toEqual([0])
    await timeline.advance(0)
    await slept
    expect(timeline.now()).toBe(0)
  })

  it('applies no command before a sleeper that the last one woke, or that is due, has ended or sleeps again', async () => {
    const timeline = new Timeline(1000, turn)
    const did: string[] = []
    const controller = new AbortController()
    void timeline
      .sleep(60_000, controller.signal)
      .then(() => new Promise((resolve) => resolve(undefined)))
      .then(() => did.push('woken'))
    timeline.run(1005, () => controller.abort())
    void timeline.sleep(0).then(() => did.push('due'))
    // One that comes from a clock that was set back, too.
    await Promise.all(
      [500, 501].map((at) => timeline.run(at, () => did.push(`command at ${timeline.now()}`))),
    )
    expect(did).toEqual(['woken', 'due', 'command at 500', 'command at 501'])
  })

  it('gives what a command threw to its caller, and goes on', async () => {
    const timeline = new Timeline(0, turn)
    void timeline.sleep(5)
    const failed = timeline.run(10, () => {
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await timeline.run(11, () => timeline.now())).toBe(11)
  })
})

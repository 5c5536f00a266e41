import { describe, expect, it } from 'vitest'
import { turn } from '../../src/node/turns.ts'
import { Timeline } from '../../src/time/timeline.ts'

describe('the timeline', () => {
  it('wakes each sleeper at its own instant, before commands at that instant or later', async () => {
    const timeline = new Timeline(1000, turn)
    const log: string[] = []
    const sleep = async (name: string, ms: number) => {
      await timeline.sleep(ms)
      log.push(`${name} at ${timeline.now()}`)
    }
    void sleep('late', 30)
    void sleep('early', 10).then(() => sleep('again', 5))
    await timeline.run(1020, () => log.push(`command at ${timeline.now()}`))
    expect(log).toEqual(['early at 1010', 'again at 1015', 'command at 1020'])
    await timeline.advance(1030)
    await turn()
    expect(log.at(-1)).toBe('late at 1030')
  })

  it('applies a command synchronously if no sleeper is due, and never before an earlier command', async () => {
    const timeline = new Timeline(1000, turn)
    void timeline.sleep(5)
    expect(timeline.run(1004, () => 'done')).toBe('done')
    const log: string[] = []
    const first = timeline.run(1006, () => log.push('first'))
    const second = timeline.run(1003, () => log.push('second'))
    await Promise.all([first, second])
    expect(log).toEqual(['first', 'second'])
    expect(timeline.now()).toBe(1006)
  })

  it('an early timer does not set the time back; a command of a clock that was set back does, and prolongs no sleep', async () => {
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

  it('only a command sets the time back, also if it waited for another command', async () => {
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

  it('wakes no other sleeper if a signal aborts after its own one woke', async () => {
    const timeline = new Timeline(0, turn)
    const controller = new AbortController()
    void timeline.sleep(10, controller.signal)
    void timeline.sleep(50)
    await timeline.advance(10)
    controller.abort()
    expect([timeline.sleeping, timeline.due]).toEqual([1, 50])
  })

  it('nothing sleeps with a signal that has aborted, or after the end', async () => {
    const timeline = new Timeline(0, turn)
    await timeline.sleep(10, AbortSignal.abort())
    timeline.end()
    await timeline.sleep(10)
    expect(timeline.sleeping).toBe(0)
  })

  it('applies no command until a sleeper that was woken or is due has ended or sleeps again', async () => {
    const timeline = new Timeline(1000, turn)
    const log: string[] = []
    const controller = new AbortController()
    void timeline
      .sleep(60_000, controller.signal)
      .then(() => new Promise((resolve) => resolve(undefined)))
      .then(() => log.push('woken'))
    timeline.run(1005, () => controller.abort())
    void timeline.sleep(0).then(() => log.push('due'))
    // One of the two is from a clock that was set back.
    await Promise.all(
      [500, 501].map((at) => timeline.run(at, () => log.push(`command at ${timeline.now()}`))),
    )
    expect(log).toEqual(['woken', 'due', 'command at 500', 'command at 501'])
  })

  it('applies no other command until the result of one that runs alone is there, also if it fails', async () => {
    const timeline = new Timeline(0, turn)
    const log: string[] = []
    let fail = () => {}
    const alone = timeline.run(
      1,
      () =>
        new Promise((_, reject) => {
          fail = () => reject(new Error('failed'))
        }),
      true,
    )
    const next = timeline.run(1, () => log.push('next'), true)
    await turn()
    await turn()
    expect(log).toEqual([])
    fail()
    await expect(alone).rejects.toThrow('failed')
    await next
    expect(log).toEqual(['next'])
  })

  it('returns the error of a command to its caller, and continues', async () => {
    const timeline = new Timeline(0, turn)
    void timeline.sleep(5)
    const failed = timeline.run(10, () => {
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await timeline.run(11, () => timeline.now())).toBe(11)
  })
})

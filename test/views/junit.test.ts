import { expect, it } from 'vitest'
import { junit } from '../../src/views/junit.ts'

const at = '2026-11-19T12:34:56.000Z'

it('writes a suite with its counts', () => {
  const cases = [
    { suite: 'contract §5', name: 'passes', ms: 1234 },
    { suite: 'contract §5', name: 'fails', failure: { message: 'came 200', details: 'a\nb' } },
    { suite: 'contract §8', name: 'is left out', skipped: 'it writes' },
    { suite: 'contract §8', name: 'tells', output: 'seen: 400' },
  ]
  expect(junit([{ name: 'contract', at, cases }])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="contract" tests="4" failures="1" errors="0" skipped="1" time="1.234" timestamp="2026-11-19T12:34:56">
    <testcase classname="contract §5" name="passes" time="1.234"/>
    <testcase classname="contract §5" name="fails" time="0.000">
      <failure message="came 200">a
b</failure>
    </testcase>
    <testcase classname="contract §8" name="is left out" time="0.000">
      <skipped message="it writes"/>
    </testcase>
    <testcase classname="contract §8" name="tells" time="0.000">
      <system-out>seen: 400</system-out>
    </testcase>
  </testsuite>
</testsuites>
`)
})

it('escapes XML, and replaces characters that XML cannot contain', () => {
  const failure = { message: '"<a>" &\n\u0000\ud800', details: ']]> 🐕' }
  const xml = junit([{ name: 's', at, cases: [{ suite: 's', name: 'n', failure }] }])
  expect(xml).toContain('message="&quot;&lt;a&gt;&quot; &amp;&#10;\ufffd\ufffd"')
  expect(xml).toContain('>]]&gt; 🐕</failure>')
})

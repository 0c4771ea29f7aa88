import { expect, test } from 'vitest'
import { createLogger } from '../../../src/serve/logging.ts'

function lines(isTTY: boolean): { text: () => string; output: { write(line: string): void; isTTY: boolean } } {
  let written = ''
  return { text: () => written, output: { write: (line) => void (written += line), isTTY } }
}

test('writes one JSON object a line and hides a credential that was logged by mistake', () => {
  const { text, output } = lines(false)
  createLogger('info', output).info(
    { token: 'dsk_secret', request: { authorization: 'Bearer dsk_secret' }, status: 200 },
    'request',
  )
  expect(JSON.parse(text())).toMatchObject({ level: 'info', msg: 'request', status: 200 })
  expect(text()).not.toContain('dsk_secret')
})

test('writes readable lines to a terminal, without escape sequences', () => {
  const { text, output } = lines(true)
  createLogger('info', output).warn({ name: 'evil\u001b[2J\u009b31m.pdf' }, 'failed')
  expect(text()).toMatch(/^\d\d:\d\d:\d\d warn failed name=evil/)
  // eslint-disable-next-line no-control-regex
  expect(text()).not.toMatch(/[\u001b\u009b]/)
})

test('writes nothing below its level', () => {
  const { text, output } = lines(false)
  createLogger('warn', output).info({}, 'quiet')
  expect(text()).toBe('')
})

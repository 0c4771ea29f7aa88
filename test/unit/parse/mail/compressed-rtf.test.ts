import { expect, test } from 'vitest'
import { decompressRtf } from '../../../../src/parse/mail/msg.ts'
import { makeMsg } from '../../../support/make-mail.ts'
import { parseBytes } from '../../../support/parse-file.ts'

/** The examples of MS-OXRTFCP, sections 3.1 and 3.2. */
const SIMPLE = Buffer.from(
  '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
  'hex',
)
const WITH_REFERENCES_TO_ITSELF = Buffer.from('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', 'hex')

/** Wraps RTF without compressing it. */
function plain(rtf: string): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt32LE(rtf.length + 12, 0)
  header.writeUInt32LE(rtf.length, 4)
  header.write('MELA', 8, 'latin1')
  return Buffer.concat([header, Buffer.from(rtf, 'latin1')])
}

test('decompresses the examples of the specification', () => {
  expect(decompressRtf(SIMPLE)!.toString('latin1')).toBe('{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n')
  expect(decompressRtf(WITH_REFERENCES_TO_ITSELF)!.toString('latin1')).toBe('{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}')
})

test('ends on any damage, and no result is longer than nine times the data', () => {
  for (let at = 0; at < SIMPLE.length; at++) {
    for (const value of [0, 0x7f, 0xff]) {
      const damaged = Buffer.from(SIMPLE)
      damaged[at] = value
      expect(decompressRtf(damaged)?.length ?? 0).toBeLessThanOrEqual(SIMPLE.length * 9)
    }
    expect(decompressRtf(SIMPLE.subarray(0, at))?.length ?? 0).toBeLessThanOrEqual(SIMPLE.length * 9)
  }
})

test.each([
  ['text', SIMPLE, ['hello world']],
  ['HTML', plain(String.raw`{\rtf1\ansi\fromhtml1{\*\htmltag <ul><li>}Gr\'fc\'dfe{\*\htmltag </li></ul>}}`), ['Grüße']],
  ['nothing that is RTF', Buffer.alloc(40, 1), []],
])('reads a message of Outlook whose only body is RTF with %s', async (_, rtf, expected) => {
  const { pages } = await parseBytes(makeMsg({ subject: 'A', rtf }), 'a.msg')
  const [{ text, blocks }] = pages as [(typeof pages)[0]]
  const texts = blocks.map(({ start, end }) => text.slice(start, end))
  expect(texts.filter((part) => expected.includes(part))).toEqual(expected)
  expect(texts.join()).not.toContain('rtf1')
})

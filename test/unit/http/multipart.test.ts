import { Dicer } from '@fastify/busboy'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readMultipart } from '../../../src/http/api/upload/multipart.ts'
import { errorCode } from '../../support/codes.ts'

const CONTENT = 'first\r\n--almost\r\n-'
const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`
const BODY = Buffer.from(
  `${part('Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain', CONTENT)}${part('content-disposition: form-data; name="file"; filename="../../x"', '')}${part('Content-Disposition: form-data; name="__proto__"', 'third')}--b--\r\n`,
)

async function read(body: Buffer, chunkBytes: number): Promise<[string, string | null, string][]> {
  async function* chunks() {
    for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes)
  }
  const found: [string, string | null, string][] = []
  await readMultipart({
    chunks: chunks(),
    boundary: 'b',
    maxParts: 3,
    async open({ name, fileName }) {
      let content = ''
      return {
        async write(chunk) {
          content += chunk.toString()
        },
        async end() {
          found.push([name, fileName, content])
        },
      }
    },
  })
  return found
}

test('finds the same parts in the same order for every chunk size', async () => {
  for (let bytes = 1; bytes <= BODY.length; bytes++) {
    expect(await read(BODY, bytes)).toEqual([
      ['file', 'a.txt', CONTENT],
      ['file', '../../x', ''],
      ['__proto__', null, 'third'],
    ])
  }
})

test('refuses a body that is cut off, wherever the cut is', async () => {
  const end = BODY.lastIndexOf('--\r\n')
  for (let length = 0; length < end + 2; length++) {
    const cut = BODY.subarray(0, length)
    await expect(read(cut, 7), `cut after ${length} bytes`).rejects.toMatchObject({ code: errorCode('invalid_multipart') })
    await expect(read(cut, 1000), `cut after ${length} bytes`).rejects.toMatchObject({ code: errorCode('invalid_multipart') })
  }
})

test('refuses a part without Content-Disposition or with headers over the limit', async () => {
  const without = Buffer.from(`${part('Content-Type: text/plain', 'a')}--b--\r\n`)
  await expect(read(without, 1000)).rejects.toMatchObject({ code: errorCode('invalid_multipart') })
  for (const size of [17_000, 200_000]) {
    const long = Buffer.from(`${part(`Content-Disposition: form-data; name="a"\r\nX: ${'x'.repeat(size)}`, 'a')}--b--\r\n`)
    await expect(read(long, 1000)).rejects.toMatchObject({ code: errorCode('body_too_large') })
  }
})

test('stops reading with the error of a sink', async () => {
  async function* chunks() {
    yield BODY
  }
  const refused = new Error('no room')
  const open = async () => ({
    async write() {
      throw refused
    },
    async end() {},
  })
  await expect(readMultipart({ chunks: chunks(), boundary: 'b', maxParts: 3, open })).rejects.toBe(refused)
})

test.each([
  ['delimiters', '\r\n--b'],
  ['empty parts', '\r\n--b\r\n\r\n'],
  ['small parts', '\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
])('starts few parts and reads no further when a body is full of %s', async (_, repeated) => {
  const starts = vi.spyOn(Dicer.prototype, 'emit')
  onTestFinished(() => starts.mockRestore())
  for (const perChunk of [1, 5_000]) {
    let chunksRead = 0
    async function* chunks() {
      for (; chunksRead < 1_000; chunksRead++) yield Buffer.from(repeated.repeat(perChunk))
    }
    const open = async () => ({ async write() {}, async end() {} })
    await expect(readMultipart({ chunks: chunks(), boundary: 'b', maxParts: 3, open })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:invalid_multipart|too_many_parts)$/),
    })
    expect(chunksRead).toBeLessThan(10)
    expect(starts.mock.calls.filter(([event]) => event === 'part').length).toBeLessThan(8)
    starts.mockClear()
  }
})

test('refuses one part more than the limit, wherever the chunks end, and accepts the limit', async () => {
  const small = part('Content-Disposition: form-data; name="a"', '1')
  for (const bytes of [1, 7, 64, 1000]) {
    expect(await read(Buffer.from(`${small.repeat(3)}--b--\r\n`), bytes)).toHaveLength(3)
    await expect(read(Buffer.from(`${small.repeat(4)}--b--\r\n`), bytes)).rejects.toMatchObject({
      code: errorCode('too_many_parts'),
    })
    await expect(read(Buffer.from(`${small.repeat(3)}--b--${'\r\n--b'.repeat(500)}`), bytes)).resolves.toHaveLength(3)
  }
})

test.each([20_000, 40_000, 66_000, 93_418, 200_000])(
  'reads a body to its end when a part of %i bytes and the end come together',
  async (size) => {
    const long = 'x'.repeat(size)
    const body = Buffer.from(
      `${part('Content-Disposition: form-data; name="a"', long)}${part('Content-Disposition: form-data; name="b"', 'short')}--b--\r\n`,
    )
    for (const chunkBytes of [1_000, 16_384, 65_536, body.length])
      expect((await read(body, chunkBytes)).map(([name, , content]) => [name, content.length])).toEqual([
        ['a', size],
        ['b', 5],
      ])
  },
)

test('reads every part whole, whatever the sizes of parts, chunks and epilogue', async () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 200_000 }),
    fc.constantFrom(16_384, 65_535, 65_536),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(size, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1_000, max: 150_000 }),
      fc.integer({ min: 0, max: 200_000 }),
      async (sizes, chunkBytes, epilogueBytes) => {
        const contents = sizes.map((length, i) => String(i).repeat(length))
        const parts = contents.map((content, i) => part(`Content-Disposition: form-data; name="${i}"`, content))
        const body = Buffer.from(`${parts.join('')}--b--\r\n${' '.repeat(epilogueBytes)}`)
        expect((await read(body, chunkBytes)).map(([, , content]) => content)).toEqual(contents)
      },
    ),
    { numRuns: 200 },
  )
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { answerPage } from '../../../../src/parse/pdf/image/answer-page.ts'
import { asPdf } from '../../../../src/parse/picture/picture.ts'
import { withoutInterlacing } from '../../../../src/parse/picture/png.ts'
import { greyPage, greyPng, interlaced, makePng, makeTiff, type TiffField } from '../../../support/make-pictures.ts'
import { decodePng } from '../../../support/raw-page.ts'
import { parseBytes } from '../../../support/parse-file.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/** Draws a picture of this width as the page of its PDF, and returns the brightness of each pixel. */
async function greysOf(picture: Buffer, width: number): Promise<number[]> {
  const file = join(await tempFolder(), 'page.pdf')
  await writeFile(file, asPdf(picture))
  const answer = await answerPage(file, { page: 1, width })
  if (!('png' in answer)) throw new Error('no image')
  const { height, at } = decodePng(answer.png)
  return Array.from({ length: width * height }, (_, i) => at((i % width) / width, Math.floor(i / width) / height)[0])
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** 100 pixels in an inch. */
const PIXELS_PER_METRE = Buffer.from([0, 0, 0x0f, 0x61, 0, 0, 0x0f, 0x61, 1])

test('transparent areas become white', async () => {
  // Black everywhere, but the upper half is transparent. Each filter is used by a row.
  const rows = Buffer.concat(
    Array.from({ length: 80 }, (_, y) => {
      const alpha = y < 40 ? 0 : 255
      const above = y <= 40 ? 0 : 255
      const filter = y % 5
      const pixel = (x: number): number => {
        const left = x === 0 ? 0 : alpha
        const predicted = [0, left, above, (left + above) >> 1, x === 0 ? above : left][filter]!
        return (alpha - predicted) & 255
      }
      return Buffer.from([filter, ...Array.from({ length: 60 }, (_, x) => [0, pixel(x)]).flat()])
    }),
  )
  const greys = await greysOf(makePng({ width: 60, height: 80, colour: 4 }, rows, [['pHYs', PIXELS_PER_METRE]]), 60)
  expect(mean(greys.slice(0, 60 * 38))).toBeGreaterThan(254)
  expect(mean(greys.slice(60 * 42))).toBeLessThan(1)
})

test.each([1, 2, 4, 8, 16, 24, 32, 64])(
  'an interlaced PNG has the same rows as one that is not: %i bits per pixel',
  (pixelBits) => {
    for (const [width, height] of [
      [1, 1],
      [3, 2],
      [5, 9],
      [17, 21],
    ] as const) {
      const rowBytes = Math.ceil((width * pixelBits) / 8)
      // The bits after the last pixel of a row are 0.
      const last = 256 - 2 ** (rowBytes * 8 - width * pixelBits)
      const rows = Buffer.alloc(height * (rowBytes + 1))
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < rowBytes; x++)
          rows[y * (rowBytes + 1) + 1 + x] = (x * 89 + y * 57 + 31) & (x === rowBytes - 1 ? last : 255)
      }
      const data = deflateSync(interlaced(rows, { width, height, pixelBits }))
      expect(inflateSync(withoutInterlacing(data, { width, height, pixelBits }))).toEqual(rows)
    }
  },
)

test('an interlaced PNG looks like one that is not', async () => {
  const size = { width: 60, height: 80 }
  // The upper half is white.
  const rows = Buffer.concat(Array.from({ length: 80 }, (_, y) => Buffer.from([0, ...Array<number>(60).fill(y < 40 ? 255 : 0)])))
  const png = (isInterlaced: boolean, data: Uint8Array): Buffer =>
    makePng({ ...size, colour: 0, interlaced: isInterlaced }, data, [['pHYs', PIXELS_PER_METRE]])
  const wanted = await greysOf(png(false, rows), 60)
  expect(new Set(wanted)).toEqual(new Set([0, 255]))
  expect(await greysOf(png(true, interlaced(rows, { ...size, pixelBits: 8 })), 60)).toEqual(wanted)
})

test('the page of a picture has an image', async () => {
  const file = join(await tempFolder(), 'a.png')
  await writeFile(file, greyPng(40, 30))
  const answer = await answerPage(file, { page: 1, width: 80 })
  const png = Buffer.from('png' in answer ? answer.png : [])
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([80, 60])
})

const GREY = Buffer.alloc(16, 128)

test('each directory of a TIFF is a page', async () => {
  const { pageCount, pages, warnings } = await parseBytes(makeTiff([greyPage(), greyPage(), greyPage()], GREY), 'fax.tif')
  expect([pageCount, pages.length]).toEqual([3, 3])
  expect(warnings).toMatchObject([{ code: 'no_text', message: expect.stringContaining('parse.ocr_command') }])
})

test('the tiles of a TIFF are at their places', async () => {
  // Two rows of three tiles with 16 × 16 pixels each. The page ends within the last tiles.
  const greys = [0, 51, 102, 153, 204, 255]
  const tiles = Buffer.concat(greys.map((grey) => Buffer.alloc(256, grey)))
  const tiff = makeTiff([tiled(greys.map((_, i) => 8 + i * 256))], tiles)
  const pixels = await greysOf(tiff, 40)
  expect(pixels).toHaveLength(40 * 24)
  const centres = [0, 1, 2, 3, 4, 5].map((tile) => pixels[(tile < 3 ? 8 : 20) * 40 + (tile % 3) * 16 + 4])
  expect(centres).toEqual(greys)
})

/** A page of 40 × 24 pixels in tiles. */
const tiled = (offsets: readonly number[], side = 16): TiffField[] => [
  ...greyPage([256, 3, 40], [257, 3, 24]).filter(([tag]) => ![273, 278, 279].includes(tag)),
  // 100 pixels in an inch.
  [282, 4, 100],
  [322, 3, side],
  [323, 3, side],
  [324, 4, ...offsets],
  [325, 4, ...offsets.map(() => 256)],
]

const header = (width: number, height: number): Buffer => makePng({ width, height, colour: 2 }, Buffer.alloc(0))

test.each<[string, Buffer, string]>([
  ['a PNG of too many pixels', header(65_000, 65_000), 'too_large'],
  ['a PNG that is too wide', header(65_537, 1), 'too_large'],
  ['a PNG that is too high', makePng({ width: 1, height: 100_000_000, colour: 0, interlaced: true }, GREY), 'too_large'],
  ['a PNG without a size', header(0, 10), 'corrupt'],
  ['a PNG that ends in its header', header(10, 10).subarray(0, 20), 'corrupt'],
  [
    'an interlaced PNG with too few rows',
    makePng({ width: 9, height: 9, colour: 0, interlaced: true }, Buffer.alloc(90)),
    'corrupt',
  ],
  [
    'an interlaced PNG that inflates to more than its size',
    makePng({ width: 1, height: 1, colour: 0, interlaced: true }, Buffer.alloc(50_000_000)),
    'corrupt',
  ],
  ['a PNG that inflates to more than its size', makePng({ width: 4, height: 4, colour: 6 }, Buffer.alloc(50_000_000)), 'corrupt'],
  ['a PNG with too few rows', makePng({ width: 4, height: 400, colour: 6 }, Buffer.alloc(100)), 'corrupt'],
  ['a PNG of an unknown colour', makePng({ width: 4, height: 4, colour: 5 }, Buffer.alloc(20)), 'corrupt'],
  ...[
    [0, 3],
    [2, 4],
    [3, 16],
    [4, 4],
    [6, 1],
  ].map(([colour, depth]): [string, Buffer, string] => [
    `a PNG of colour type ${colour} with ${depth} bits`,
    makePng({ width: 4, height: 4, colour: colour!, depth: depth!, interlaced: true }, Buffer.alloc(40), [
      ['PLTE', Buffer.alloc(48)],
    ]),
    'corrupt',
  ]),
  ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9]), 'corrupt'],
  [
    'a JPEG of too many pixels',
    Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3, ...Array<number>(9).fill(0)]),
    'too_large',
  ],
  ['a JPEG with a segment of no length', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xc0]), 'corrupt'],
  ['a TIFF without a directory', Buffer.from('II*\0\0\0\0\0', 'latin1'), 'corrupt'],
  ['a TIFF whose directory is beyond its end', Buffer.from('II*\0\xff\xff\0\0', 'latin1'), 'corrupt'],
  [
    'a TIFF whose strips are the same bytes',
    makeTiff(
      [greyPage([257, 3, 9], [278, 3, 1], [273, 4, ...Array<number>(9).fill(0)], [279, 4, ...Array<number>(9).fill(300)])],
      GREY,
    ),
    'corrupt',
  ],
  ['a TIFF whose pages have the same lists of empty strips', makeTiffOfEmptyStrips(100, 10_000), 'corrupt'],
  ['a TIFF with too few strips', makeTiff([greyPage([278, 3, 1])], GREY), 'corrupt'],
  ['a TIFF of too many pixels', makeTiff([greyPage([256, 4, 4_000_000_000], [257, 4, 4_000_000_000])], GREY), 'too_large'],
  ['a TIFF that is too wide', makeTiff([greyPage([256, 4, 100_000])], GREY), 'too_large'],
  ['a TIFF with too few tiles', makeTiff([tiled([8, 8, 8, 8, 8])], Buffer.alloc(2_000)), 'corrupt'],
  ['a TIFF whose tiles have no size', makeTiff([tiled([8, 8, 8, 8, 8, 8], 0)], Buffer.alloc(2_000)), 'corrupt'],
  ['a TIFF whose tiles are too large', makeTiff([tiled([8], 65_535)], Buffer.alloc(2_000)), 'too_large'],
  ['a TIFF whose tiles are the same bytes', makeTiff([tiled(Array<number>(6).fill(8))], Buffer.alloc(256)), 'corrupt'],
  ['a TIFF with JPEG compression', makeTiff([greyPage([259, 3, 7])], GREY), 'unsupported_type'],
])('refuses %s', async (_, bytes, code) => {
  const reading = parseBytes(bytes, 'a.png').then(() => asPdf(bytes))
  await expect(reading).rejects.toMatchObject({ code })
})

test('a small TIFF becomes no large PDF because each tile has the same palette', () => {
  const tiles = 140 * 140
  const fields = tiled(Array<number>(tiles).fill(8), 1).filter(([tag]) => ![256, 257, 262, 325].includes(tag))
  const page: TiffField[] = [...fields, [256, 3, 140], [257, 3, 140], [262, 3, 3], [320, 3, ...Array<number>(768).fill(0)]]
  expect(() => asPdf(makeTiff([page], GREY))).toThrow(expect.objectContaining({ code: 'corrupt' }))
})

test('a TIFF can have a strip for each row', async () => {
  const rows = Array.from({ length: 2_000 }, (_, row) => row)
  const page = greyPage([257, 3, 2_000], [278, 3, 1], [273, 4, ...rows.map((row) => 8 + row)], [279, 4, ...rows.map(() => 1)])
  expect((await parseBytes(makeTiff([page], Buffer.alloc(2_000)), 'a.tif')).pageCount).toBe(1)
})

test('does not loop on a TIFF whose directories form a circle', async () => {
  const once = makeTiff([greyPage()], GREY)
  const { pageCount } = await parseBytes(makeTiff([greyPage()], GREY, { next: once.readUInt32LE(4) }), 'a.tif')
  expect(pageCount).toBe(1)
})

test('any damaged picture becomes a PDF or fails with an error code', () => {
  const tiff = makeTiff([greyPage([259, 3, 8])], deflateSync(GREY))
  for (const bytes of [greyPng(8, 8), tiff]) {
    for (let at = 8; at < bytes.length; at++) {
      for (const value of [0, 1, 127, 255]) {
        const damaged = Buffer.from(bytes)
        damaged[at] = value
        try {
          asPdf(damaged)
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^(?:corrupt|too_large|unsupported_type)$/)
        }
      }
    }
  }
})

/** Returns a TIFF whose directories all name the same lists of the offsets and the lengths of strips. */
function makeTiffOfEmptyStrips(pages: number, strips: number): Buffer {
  const none = Array<number>(strips).fill(0)
  const first = makeTiff([greyPage([257, 3, strips], [278, 3, 1], [273, 4, ...none], [279, 4, ...none])], GREY)
  const at = first.readUInt32LE(4)
  const directory = first.subarray(at)
  const copies = Array.from({ length: pages }, (_, page) => {
    const copy = Buffer.from(directory)
    copy.writeUInt32LE(page === pages - 1 ? 0 : first.length + (page + 1) * copy.length, copy.length - 4)
    return copy
  })
  const all = Buffer.concat([first, ...copies])
  all.writeUInt32LE(first.length, at + directory.length - 4)
  return all
}

import { deflateSync } from 'node:zlib'
import { greyJpeg, greyPng, greyTiff, interlaced, makePng, makeTiff } from '../support/make-pictures.ts'
import { parserConformance, type ParserUnderTest } from './parser.ts'

const of = (pageCount: number): Pick<ParserUnderTest, 'expected' | 'isPicture'> => ({
  expected: { engine: 'picture', title: null, pageCount, texts: [], kinds: [] },
  isPicture: true,
})

parserConformance('png', async () => ({
  ...of(1),
  bytes: greyPng(40, 30),
  fileName: 'scan.png',
  mediaType: 'image/png',
  broken: {
    'four billion pixels': makePng({ width: 65_536, height: 65_536, colour: 2 }, Buffer.alloc(0)),
    'pixels that inflate to more than its size': makePng({ width: 4, height: 4, colour: 6 }, Buffer.alloc(20_000_000)),
    'no pixels': makePng({ width: 400, height: 400, colour: 6 }, Buffer.alloc(0)),
    'an interlaced picture with half of its rows': makePng(
      { width: 9, height: 9, colour: 0, interlaced: true },
      interlaced(Buffer.alloc(90), { width: 9, height: 9, pixelBits: 8 }).subarray(0, 50),
    ),
    'a palette without colours': makePng({ width: 4, height: 4, colour: 3 }, Buffer.alloc(20), [['PLTE', Buffer.alloc(0)]]),
  },
}))

parserConformance('jpeg', async () => ({
  ...of(1),
  bytes: greyJpeg(),
  fileName: 'scan.jpg',
  mediaType: 'image/jpeg',
  broken: {
    'a segment without a length': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xc0]),
    'no frame': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9]),
    'a frame of four billion pixels': Buffer.from([
      0xff,
      0xd8,
      0xff,
      0xc0,
      0,
      17,
      8,
      ...Array<number>(4).fill(0xff),
      3,
      ...Array<number>(9).fill(0),
    ]),
    'a million marks': Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)]),
  },
}))

parserConformance('tiff', async () => ({
  ...of(2),
  bytes: greyTiff(2),
  fileName: 'fax.tif',
  mediaType: 'image/tiff',
  broken: {
    'directories in a circle': makeCircle(),
    'a directory beyond the end': Buffer.from('II*\0\xff\xff\0\0', 'latin1'),
    'no directory': Buffer.from('MM\0*\0\0\0\0', 'latin1'),
    'a bomb in a strip': makeTiff(
      [
        [
          [256, 3, 8],
          [257, 3, 2],
          [258, 3, 8],
          [259, 3, 8],
          [262, 3, 1],
          [273, 4, 8],
          [279, 4, 20_000],
        ],
      ],
      deflateSync(Buffer.alloc(20_000_000)),
    ),
    'four billion tiles': makeTiff(
      [
        [
          [256, 4, 10_000],
          [257, 4, 10_000],
          [322, 3, 1],
          [323, 3, 1],
          [324, 4, 8],
          [325, 4, 1],
        ],
      ],
      Buffer.alloc(16),
    ),
  },
}))

function makeCircle(): Buffer {
  const once = greyTiff(1)
  return greyTiff(1, { next: once.readUInt32LE(4) })
}

import { parserConformance } from './parser.ts'

const SOURCE = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Gothic;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}{\info{\title The harbour}{\author Nobody}}
{\header Harbour office\par}
\pard\s1 The gate\par
\pard\plain The gatekeeper{\footnote\pard See the mill.} keeps {\v hidden }the lantern.\line Gr\'fc\'dfe \f1\'cc\'e8\'f0\f0  \u26085?\u26412? \f2\'93\'fa\f0\par
{\listtext\pard 1.\tab}\ls1\ilvl0 by night\par
\pard{\pict\pngblip 89504e47}{\*\unknown nothing}{\field{\*\fldinst HYPERLINK "x"}{\fldrslt the mill}}\par
\trowd\cellx1000\cellx2000\pard\intbl Day\cell Hour\cell\row
\trowd\cellx1000\cellx2000\pard\intbl Monday\cell noon\cell\row
\pard After the table\par}`

const wrap = (inner: string) => Buffer.from(String.raw`{\rtf1\ansi ${inner}}`, 'latin1')

parserConformance('rtf', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'harbour.rtf',
  mediaType: 'application/rtf',
  expected: {
    engine: 'rtf',
    title: 'The harbour',
    pageCount: 1,
    texts: [
      'The gate\n\nThe gatekeeper keeps the lantern.\nGrüße Мир 日本 日',
      '1. by night',
      'the mill',
      'Day | Hour\nMonday | noon\n\nAfter the table',
      'Harbour office',
      'See the mill.',
    ],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'a million groups in each other': Buffer.from(`{\\rtf1 a${'{'.repeat(1_000_000)}`),
    'a million groups in each other, with states': Buffer.from(`{\\rtf1 a${'{\\v0 '.repeat(300_000)}b`),
    'closed more often than opened': wrap('}}}}}a{b}}}}'),
    'raw bytes beyond the end': wrap(String.raw`a\bin999999999 b`),
    'raw bytes of a negative length': wrap(String.raw`a\bin-5 b`),
    'raw bytes with braces': wrap(String.raw`a{\pict\bin6 }}}}}}}b`),
    'numbers of any size': wrap(String.raw`\f99999999999999 \u999999999 \uc-3 \u-70000 \s-1 \ilvl99999 a`),
    'a fallback of a million characters': wrap(String.raw`\uc1000000\u8364 abc`),
    'half a character': wrap(String.raw`\u-10179 x \'9 \'zz`),
    'a hundred thousand open rows': wrap(String.raw`\trowd\intbl a\cell `.repeat(100_000)),
    'a hundred thousand notes': wrap(String.raw`{\footnote b}`.repeat(100_000)),
    'HTML that is never closed': wrap(String.raw`\fromhtml1{\*\htmltag64 <div><table><td>}`.repeat(20_000)),
  },
}))

import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { errorCode } from '../../../support/codes.ts'
import { makeEpub } from '../../../support/make-epub.ts'
import { makeZip } from '../../../support/make-zip.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

const protection = (algorithm: string, uri: string) => ({
  name: 'META-INF/encryption.xml',
  data: `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`,
})
const CHAPTER = [['one.xhtml', '<p>Lantern.</p>']] as const

test('refuses a book with DRM, but not one with scrambled fonts', async () => {
  const drm = makeEpub(CHAPTER, { extra: [protection('http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'OPS/text/one.xhtml')] })
  await expect(parseBytes(drm, 'a.epub')).rejects.toMatchObject({ code: errorCode('drm_protected') })
  const fonts = makeEpub(CHAPTER, { extra: [protection('http://www.idpf.org/2008/embedding', 'OPS/font.otf')] })
  expect((await parseBytes(fonts, 'a.epub')).pages).toHaveLength(1)
})

test('takes titles of chapters from an NCX with a DTD, and an image in the spine is an empty page', async () => {
  const bytes = makeZip([
    { name: 'mimetype', data: 'application/epub+zip' },
    { name: 'META-INF/container.xml', data: '<c><rootfile full-path="book.opf"/></c>' },
    {
      name: 'book.opf',
      data: '<p><manifest><item id="i" href="cover.png" media-type="image/png"/><item id="a" href="a.html" media-type="text/html"/><item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine toc="n"><itemref idref="i"/><itemref idref="a"/><itemref idref="gone"/></spine></p>',
    },
    {
      name: 'toc.ncx',
      data: '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx><navPoint><navLabel><text>The gate</text></navLabel><content src="a.html#x"/><navPoint><navLabel><text>Inner</text></navLabel><content src="a.html#y"/></navPoint></navPoint></ncx>',
    },
    { name: 'a.html', data: '<p>Lantern.</p>' },
  ])
  const { pages } = await parseBytes(bytes, 'a.epub')
  expect(pages.map((page) => blocksOf(page))).toEqual([
    [],
    [
      ['heading1', 'The gate'],
      ['paragraph', 'Lantern.'],
    ],
    [],
  ])
})

test('refuses a book whose chapters are too large, and one that names the same chapter without end', async () => {
  const large = makeEpub([['one.xhtml', `<p>${'a'.repeat(DEFAULT_LIMITS.xmlBytes)}</p>`]])
  await expect(parseBytes(large, 'a.epub')).rejects.toMatchObject({ code: errorCode('too_much_xml') })
  const many = makeZip([
    { name: 'META-INF/container.xml', data: '<c><rootfile full-path="book.opf"/></c>' },
    {
      name: 'book.opf',
      data: `<p><manifest><item id="a" href="a.html" media-type="text/html"/></manifest><spine>${'<itemref idref="a"/>'.repeat(200)}</spine></p>`,
    },
    { name: 'a.html', data: `<p>${' '.repeat(1_000_000)}x</p>` },
  ])
  await expect(parseBytes(many, 'a.epub')).rejects.toMatchObject({ code: errorCode('too_much_xml') })
})

test('shows the table of contents of a book whose images name it as their fallback', async () => {
  const bytes = makeZip([
    { name: 'mimetype', data: 'application/epub+zip' },
    { name: 'META-INF/container.xml', data: '<c><rootfile full-path="book.opf"/></c>' },
    {
      name: 'book.opf',
      data: '<p><manifest><item id="i" href="1.png" media-type="image/png" fallback="n"/><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="i"/><itemref idref="i"/></spine></p>',
    },
    { name: 'nav.xhtml', data: '<html><body><h1>Contents</h1><nav><a href="1.png">The lantern</a></nav></body></html>' },
  ])
  const { pages } = await parseBytes(bytes, 'a.epub')
  expect(pages.map(({ text }) => text)).toEqual(['Contents'])
})

test('reads the text of a page that is an SVG drawing', async () => {
  const drawing = '<svg xmlns="s"><title>no</title><text x="1"><tspan>The</tspan> gate</text><text>opens &amp; shuts</text></svg>'
  const { pages } = await parseBytes(makeEpub([['one.xhtml', drawing]]), 'a.epub')
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'The gate'],
    ['paragraph', 'opens & shuts'],
  ])
})

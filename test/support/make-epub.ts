import { makeZip, type ZipEntry } from './make-zip.ts'

/** Returns an e-book with these chapters as bodies of XHTML: the names of their files and their content. */
export function makeEpub(
  chapters: readonly (readonly [name: string, body: string])[],
  {
    toc = [],
    extra = [],
    manifest = '',
  }: { toc?: readonly (readonly [name: string, title: string])[]; extra?: readonly ZipEntry[]; manifest?: string } = {},
): Buffer {
  const links = toc.map(([name, title]) => `<li><a href="${name}#top">${title}</a></li>`).join('')
  return makeZip([
    { name: 'mimetype', data: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      data: '<container><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    },
    {
      name: 'OPS/book.opf',
      data: `<package xmlns:dc="d"><metadata><dc:title>The harbour</dc:title><dc:title>A second title</dc:title></metadata><manifest>${manifest}<item id="nav" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/>${chapters.map(([name], i) => `<item id="c${i}" href="text/${encodeURIComponent(name)}" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine><itemref idref="nav"/>${chapters.map((_chapter, i) => `<itemref idref="c${i}"/>`).join('')}</spine></package>`,
    },
    {
      name: 'OPS/nav.xhtml',
      data: `<html xmlns:epub="e"><body><nav epub:type="toc"><ol>${links}</ol></nav><nav epub:type="page-list"><a href="text/one.xhtml">1</a></nav></body></html>`,
    },
    ...chapters.map(([name, body]) => ({
      name: `OPS/text/${name}`,
      data: `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="h"><head><title>x</title><script>run()</script></head><body>${body}</body></html>`,
    })),
    ...extra,
  ])
}

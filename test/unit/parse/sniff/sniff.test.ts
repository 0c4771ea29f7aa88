import { expect, test } from 'vitest'
import { sniff } from '../../../../src/parse/sniff/sniff.ts'
import { rawDocx, docxParagraph } from '../../../support/make-bombs.ts'
import { makeDocx, makePdf } from '../../../support/make-documents.ts'
import { makeZip } from '../../../support/make-zip.ts'
import { makeMail, makeMbox } from '../../../support/make-mail.ts'
import { withFile } from '../../../support/parse-file.ts'
import { errorCode } from '../../../support/codes.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const typeOf = (bytes: Buffer | string, name: string): Promise<string> =>
  withFile(bytes, async (file) => (await sniff(file, name)).mediaType)
const refusalOf = (bytes: Buffer | string, name: string): Promise<{ code: string; message: string }> =>
  typeOf(bytes, name).then(
    (type) => ({ code: `taken as ${type}`, message: '' }),
    (error: { code: string; message: string }) => error,
  )

test('goes by the content, not by the name', async () => {
  const pdf = await makePdf([[{ text: 'Hello' }]])
  const docx = await makeDocx([{ text: 'Hello' }])
  expect(await typeOf(pdf, 'report.txt')).toBe('application/pdf')
  expect(await typeOf(docx, 'report.pdf')).toBe(DOCX)
  expect(await typeOf('Only words.', 'report.pdf')).toBe('text/plain')
  expect(await typeOf('Only words.', 'report.docx')).toBe('text/plain')
})

test('accepts lines before the header of a PDF', async () => {
  const pdf = await makePdf([[{ text: 'Hello' }]])
  expect(await typeOf(Buffer.concat([Buffer.from('X-Mailer: something\r\n\r\n'), pdf]), 'mail.bin')).toBe('application/pdf')
  expect(await typeOf(Buffer.concat([Buffer.alloc(128), pdf]), 'from-a-mac')).toBe('application/pdf')
  expect(await typeOf(Buffer.concat([Buffer.from('\ufeff'), pdf]), 'marked')).toBe('application/pdf')
})

test('a text about PDFs, or a message with a PDF in it, is not a PDF', async () => {
  expect(await typeOf("const PDF_HEADER = '%PDF-1.7'\n", 'sniff.js')).toBe('text/x-source')
  expect(await typeOf('# PDF\n\nA file begins with `%PDF-1.7`.\n', 'pdf.md')).toBe('text/markdown')
  const mail = makeMail({ attachments: [{ type: 'application/pdf', name: 'a.pdf', body: '%PDF-1.7\nnothing' }] })
  expect(await typeOf(mail, 'a.eml')).toBe('message/rfc822')
  expect(await typeOf(mail, 'message')).toBe('message/rfc822')
  expect(await typeOf(makeMbox([mail]), 'in.mbox')).toBe('application/mbox')
})

test('recognizes a DOCX wherever its parts are in the archive', async () => {
  expect(await typeOf(rawDocx(docxParagraph('Hello')), 'a')).toBe(DOCX)
  const odd = makeZip([
    { name: 'zzz.xml', data: '<a/>' },
    { name: 'word/document.xml', data: '<w/>' },
  ])
  expect(await typeOf(odd, 'a')).toBe(DOCX)
})

test('lets the name choose only among the text formats', async () => {
  expect(await typeOf('# Title\n\ntext', 'a.md')).toBe('text/markdown')
  expect(await typeOf('# Title\n\ntext', 'a')).toBe('text/plain')
  expect(await typeOf('<!doctype html><title>x</title>', 'a')).toBe('text/html')
  expect(await typeOf('<p>fragment', 'a.html')).toBe('text/html')
  expect(await typeOf('<?xml version="1.0"?><notes/>', 'notes.txt')).toBe('text/plain')
  // "BM" is the signature of a bitmap.
  expect(await typeOf('BMW makes cars, and this is a text about them.', 'a.txt')).toBe('text/plain')
  expect(await typeOf(Buffer.from('Grüße aus Köln', 'latin1'), 'a.txt')).toBe('text/plain')
  expect(await typeOf(Buffer.from('Hello world', 'utf16le'), 'a.txt')).toBe('text/plain')
})

test('skips any number of comments before an HTML page', async () => {
  expect(await typeOf(`<?xml version="1.0"?>\n${'<!-- saved -->\n'.repeat(20)}<html>`, 'a')).toBe('text/html')
  expect(await typeOf('<!--'.repeat(200), 'a')).toBe('text/plain')
  // Each comment could be part of the one before. Trying all combinations would take exponential time.
  expect(await typeOf(`${'<!---->'.repeat(200)}Words.`, 'a')).toBe('text/plain')
})

test('refuses other files and names their type', async () => {
  const program = await refusalOf(Buffer.from('\0asm\x01\0\0\0'), 'scan.pdf')
  expect(program.code).toBe(errorCode('unsupported_type'))
  expect(program.message).toContain('application/wasm')
  const gif = await refusalOf(Buffer.from('GIF89a\x01\0\x01\0\0\0\0'), 'scan.pdf')
  expect([gif.code, gif.message]).toEqual([errorCode('unsupported_type'), expect.stringMatching(/a GIF image.*OCR program.*PNG/)])
  expect((await refusalOf(makeZip([{ name: 'a.txt', data: 'x' }]), 'a.docx')).message).toContain('ZIP archive')
  expect((await refusalOf(Buffer.from([1, 2, 3, 0, 200, 7, 7]), 'a.txt')).code).toBe(errorCode('unsupported_type'))
})

test('refuses an empty file', async () => {
  expect((await refusalOf('', 'a.pdf')).code).toBe(errorCode('empty_file'))
})

test('refuses an Office file with a password as encrypted, and an old one as unsupported', async () => {
  const header = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)])
  expect((await refusalOf(Buffer.concat([header, Buffer.from('EncryptedPackage', 'utf16le')]), 'a.docx')).code).toBe(
    errorCode('encrypted'),
  )
  expect((await refusalOf(header, 'a.doc')).code).toBe(errorCode('unsupported_type'))
})

const CFB = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)])
const zipOf = (name: string, data = 'x') => makeZip([{ name, data }])
const contentTypes = (type: string) => zipOf('[Content_Types].xml', `<Types><Override ContentType="${type}"/></Types>`)

test.each([
  ['a.doc', CFB, 'Word 97–2003', 'Save it as .docx and upload it again.'],
  ['a.XLS', CFB, 'Excel 97–2003', 'Save it as .xlsx and upload it again.'],
  ['a.ppt', CFB, 'PowerPoint 97–2003', 'Save it as .pptx and upload it again.'],
  ['a', CFB, 'older Office format', 'Save it as .docx, .xlsx or .pptx and upload it again.'],
  ['a.xls', Buffer.from([9, 8, 16, 0, 0, 6, 5, 0]), 'Excel 97–2003', 'Save it as .xlsx and upload it again.'],
  [
    'a.xlsb',
    contentTypes('application/vnd.ms-excel.sheet.binary.macroEnabled.main'),
    'XLSB',
    'Save it as .xlsx and upload it again.',
  ],
  ['a.odg', zipOf('mimetype', 'application/vnd.oasis.opendocument.graphics'), 'drawing', 'Save it as .pdf and upload it again.'],
  ['a.sxw', zipOf('mimetype', 'application/vnd.sun.xml.writer'), 'OpenOffice.org 1', 'Save it as .odt and upload it again.'],
  ['a.pages', zipOf('Index/Document.iwa'), 'Pages', 'In Pages, choose File › Export To › Word, and upload the result.'],
  ['a.numbers', zipOf('a.numbers/Index.zip'), 'Numbers', 'In Numbers, choose File › Export To › Excel, and upload the result.'],
])('says how to save %s in a format that docsearch reads', async (name, bytes, what, advice) => {
  const { code, message } = await refusalOf(bytes, name)
  expect(code).toBe(errorCode('unsupported_type'))
  expect(message).toContain(what)
  expect(message.endsWith(` ${advice}`)).toBe(true)
})

test.each([
  ['text', 'application/vnd.oasis.opendocument.text'],
  ['spreadsheet', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['presentation', 'application/vnd.oasis.opendocument.presentation'],
])('takes one XML file with a flat OpenDocument %s as this format', async (kind, type) => {
  const root = `<office:document xmlns:office="o" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">`
  expect(await typeOf(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n\n${root}</office:document>`, 'a.xml')).toBe(type)
  expect(await typeOf(`Not ${root}`, 'a.txt')).toBe('text/plain')
})

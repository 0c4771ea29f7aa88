/**
 * Pages of documents, as UTF-8 text in memory that threads share. Each line has the ID of a document, and after a space the numbers of its pages,
 * separated by commas. A line without numbers stands for all pages. A document can have several lines.
 *
 * It is text because a search over much mail finds hundreds of thousands of documents. The database writes the text and the search threads read
 * it, so the main thread only passes it on.
 */
export type PageList = Uint8Array<SharedArrayBuffer>

export function toPageList(text: string): PageList {
  const list = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)))
  Buffer.from(list.buffer).write(text)
  return list
}

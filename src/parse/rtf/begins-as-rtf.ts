const MARK = /^(?:\xef\xbb\xbf)?\s*\{\s*\\rtf/

/** True for a file that begins like RTF. */
export function beginsAsRtf(head: Uint8Array): boolean {
  return MARK.test(Buffer.from(head.subarray(0, 50)).toString('latin1'))
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const TIFF = [Buffer.from('II*\0'), Buffer.from('MM\0*')]

/** Which kind of picture begins with these bytes; null for another file. */
export function pictureKind(head: Buffer): 'png' | 'jpeg' | 'tiff' | null {
  const begins = (mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark)
  if (begins(PNG)) return 'png'
  if (begins(JPEG)) return 'jpeg'
  return TIFF.some(begins) ? 'tiff' : null
}

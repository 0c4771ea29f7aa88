const [COMPRESSED, PLAIN] = [0x75465a4c, 0x414c454d]
const HEADER_BYTES = 16
const WINDOW = 4096
const PREFIX = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
)

/**
 * Decompresses the RTF of an Outlook message (MS-OXRTFCP). Of damaged data, returns what can be read. The result is at most nine times as long as
 * the data. Returns null for other data.
 */
export function decompressRtf(bytes: Buffer): Buffer | null {
  if (bytes.length < HEADER_BYTES) return null
  const [rawSize, magic] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  if (magic === PLAIN) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + rawSize)
  if (magic !== COMPRESSED) return null
  const window = Buffer.alloc(WINDOW, ' ')
  PREFIX.copy(window)
  const output = Buffer.alloc(Math.min(rawSize, bytes.length * 9))
  let length = 0
  const add = (byte: number): void => {
    window[(PREFIX.length + length) % WINDOW] = byte
    output[length++] = byte
  }
  for (let at = HEADER_BYTES; at < bytes.length && length < output.length;) {
    const flags = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length && length < output.length; bit++) {
      if ((flags & (1 << bit)) === 0) {
        add(bytes[at++]!)
        continue
      }
      const reference = bytes.readUInt16BE(Math.min(at, bytes.length - 2))
      at += 2
      const from = reference >> 4
      // A reference to the next byte ends the text.
      if (from === (PREFIX.length + length) % WINDOW) return output.subarray(0, length)
      for (let copied = 0; copied < (reference & 15) + 2 && length < output.length; copied++)
        add(window[(from + copied) % WINDOW]!)
    }
  }
  return output.subarray(0, length)
}

import { pipeline } from 'node:stream/promises'
import { MultipartParser } from 'formidable'
import { DocsearchError } from '../../../core/errors.ts'
import { fail } from '../../problems/problems.ts'

/**
 * formidable's parser, but not its form class: that one names and opens files before it looks at its limits, leaves some of them behind when it
 * stops, and bounds neither the number of parts nor the length of their headers.
 */

/** Where the bytes of one part go. */
export interface PartSink {
  write(chunk: Buffer): Promise<void>
  end(): Promise<void>
}

export interface PartHead {
  /** Of the form field; empty when there is none. */
  name: string
  /** As the client wrote it, path parts and all; null for a plain field. */
  fileName: string | null
}

const MOST_HEADER_BYTES = 16_384

interface Token {
  name: 'partBegin' | 'headerField' | 'headerValue' | 'headerEnd' | 'headersEnd' | 'partData' | 'partEnd' | 'end'
  buffer?: Buffer
  start?: number
  end?: number
}

class Parser extends MultipartParser {
  /** The parser hands out one scratch buffer again and again; by the time a token is read it would hold something else. */
  override push(token: Token | null): boolean {
    if (token?.buffer === undefined) return super.push(token)
    return super.push({ name: token.name, buffer: Buffer.from(token.buffer.subarray(token.start, token.end)) })
  }
}

/**
 * Reads a multipart body to its end, each part into the sink `open` gives for it. Throws `invalid_multipart` when it is malformed
 * or cut off, `too_many_parts` above the limit, and whatever `open` and its sinks throw.
 */
export async function readMultipart(options: {
  chunks: AsyncIterable<Buffer>
  boundary: string
  maxParts: number
  open(head: PartHead): Promise<PartSink>
}): Promise<void> {
  const { chunks, boundary, maxParts, open } = options
  const parser = new Parser()
  parser.initWithBoundary(boundary)
  let isWhole = false
  try {
    await pipeline(chunks, parser, async (tokens: AsyncIterable<Token>) => {
      let parts = 0
      let header = emptyHeader()
      let sink: PartSink | null = null
      for await (const { name, buffer } of tokens) {
        if (name === 'partBegin') {
          if (++parts > maxParts)
            throw fail(
              'too_many_parts',
              `The request has ${parts} parts or more, the limit is ${maxParts}. Send fewer files at a time.`,
              { limit: maxParts },
            )
          header = emptyHeader()
        } else if (name === 'headerField') header.add('field', buffer)
        else if (name === 'headerValue') header.add('value', buffer)
        else if (name === 'headerEnd') header.close()
        else if (name === 'headersEnd') sink = await open(headOf(header.disposition()))
        else if (name === 'partData') await sink?.write(buffer ?? Buffer.alloc(0))
        else if (name === 'partEnd') await sink?.end()
        else if (name === 'end') isWhole = true
      }
    })
  } catch (error) {
    if (error instanceof DocsearchError || !isParserError(error)) throw error
  }
  if (!isWhole)
    throw fail('invalid_multipart', 'The multipart body is malformed or was cut off; nothing was stored. Send it again.')
}

function isParserError(error: unknown): boolean {
  return error instanceof Error && 'httpCode' in error
}

/** Collects a part's headers, of which only Content-Disposition matters. */
function emptyHeader() {
  let bytes = 0
  let field: Buffer[] = []
  let value: Buffer[] = []
  let found = ''
  return {
    add(to: 'field' | 'value', chunk: Buffer | undefined) {
      if (chunk === undefined) return
      bytes += chunk.length
      if (bytes > MOST_HEADER_BYTES)
        throw fail('body_too_large', `The headers of a part are over the limit of ${MOST_HEADER_BYTES} bytes.`, {
          limit: MOST_HEADER_BYTES,
        })
      ;(to === 'field' ? field : value).push(chunk)
    },
    close() {
      // Joined before decoding: a character may lie across two chunks. RFC 7578 section 5.1: UTF-8.
      if (Buffer.concat(field).toString('latin1').toLowerCase() === 'content-disposition')
        found = Buffer.concat(value).toString('utf8')
      field = []
      value = []
    },
    disposition: () => found,
  }
}

function headOf(disposition: string): PartHead {
  return { name: parameter(disposition, 'name') ?? '', fileName: parameter(disposition, 'filename') }
}

/**
 * A parameter of Content-Disposition as clients write it: quoted, with `"` and line ends percent-encoded (browsers, curl) or after
 * a backslash (older ones). A backslash before anything else stands for itself: it parts a Windows path.
 */
function parameter(disposition: string, name: string): string | null {
  const extended =
    name === 'filename' ? new RegExp(`;\\s*${name}\\*=utf-8'[^']*'([^;\\s]+)`, 'i').exec(disposition)?.[1] : undefined
  if (extended !== undefined) return decodeExtended(extended)
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s"]*))`, 'i').exec(disposition)
  if (match === null) return null
  const written = match[1]?.replaceAll('\\"', '"') ?? match[2] ?? ''
  return written.replaceAll(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped))
}

function decodeExtended(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // Not percent-encoding after all: then it is the name as it stands.
    return value
  }
}

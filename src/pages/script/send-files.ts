import { waitSeconds } from './fetch-page.ts'

/** The answer for each file, in the order of the files. */
export type FileAnswer = { id: string; url: string } | { refusal: string }

export type SendOutcome =
  | { kind: 'done'; files: FileAnswer[] }
  /** The instance asks to wait, or the network is away. */
  | { kind: 'later'; waitMs: number }
  /** The request as a whole is refused. `isFinal` if the same request with other files would be refused too. */
  | { kind: 'refused'; reason: string; isFinal: boolean }

const NETWORK_WAIT_MS = 3000

/** Posts a form. `onProgress` gets the part of the body that was sent, from 0 to 1. */
export function sendForm(address: string, body: FormData, onProgress: (part: number) => void): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener('loadend', () => resolve(outcomeOf(request)))
    request.open('POST', address)
    request.setRequestHeader('Accept', 'application/json')
    request.send(body)
  })
}

function outcomeOf(request: XMLHttpRequest): SendOutcome {
  const { status } = request
  if (status === 0) return { kind: 'later', waitMs: NETWORK_WAIT_MS }
  if (status === 429 || status === 503)
    return { kind: 'later', waitMs: waitSeconds(request.getResponseHeader('Retry-After')) * 1000 }
  const answer = parse(request.responseText)
  if (status === 200 && Array.isArray(answer['files'])) return { kind: 'done', files: answer['files'] as FileAnswer[] }
  const reason = typeof answer['detail'] === 'string' ? answer['detail'] : `The instance answered with status ${status}.`
  return { kind: 'refused', reason, isFinal: status === 401 || status === 403 || status === 404 || status >= 500 }
}

function parse(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}

import { announce, addressFor, element, revealScripted, takeFrame } from './dom.ts'
import { wait, waitSeconds, fetchPage } from './fetch-page.ts'
import { follow, refresh } from './live.ts'
import { isHiddenOrGenerated } from '../../core/generated-files.ts'

const REQUESTS = 2
/** The files of a request are processed when all of them have arrived, so small requests show progress earlier. */
const REQUEST_BYTES = 20e6
/** Times that a request is sent again while the instance or the network is away. */
const MAX_TRIES = 20

/** Lists up to this length are seen as a whole. */
const SHORT_LIST = 10
const BAD: ReadonlySet<string> = new Set(['failed', 'refused', 'unsent'])

/** `waiting` → `sending` → a row that the instance renders, or `refused`, or `unsent`. */
type State = 'waiting' | 'sending' | 'refused' | 'unsent'

interface Item extends ChosenFile {
  fields: Fields
  row: HTMLLIElement
  state: State
}

/** Project and tags as they were when the files were chosen. */
type Fields = readonly (readonly [name: string, value: string])[]

interface Parts {
  form: HTMLFormElement
  section: HTMLElement
  list: HTMLElement
}

let items: Item[] = []
let sending = 0

/** Takes over the form of the view, if it has one: files are sent in the background, each with a row. */
export function startUpload(): void {
  const parts = findParts()
  if (parts === null) return
  parts.form.addEventListener('submit', (event) => {
    const inputs = [...parts.form.querySelectorAll<HTMLInputElement>('input[type="file"]')]
    const chosen = inputs.flatMap(fromInput)
    // Without files, the answer of the instance says what is wrong.
    if (chosen.length === 0) return
    event.preventDefault()
    for (const input of inputs) input.value = ''
    addFiles(chosen)
  })
  parts.section.querySelector('button')?.addEventListener('click', () => {
    for (const item of items) if (item.state === 'unsent') setState(item, 'waiting', 'Waiting')
    sendMore()
  })
}

/** Warns before the user leaves while files are being sent. */
addEventListener('beforeunload', (event) => {
  if (items.some(({ state }) => state === 'waiting' || state === 'sending')) event.preventDefault()
})

function findParts(): Parts | null {
  const form = document.querySelector<HTMLFormElement>('form#upload')
  const section = document.querySelector<HTMLElement>('#sending-files')
  const list = section?.querySelector('ul')
  return form === null || section === null || list == null ? null : { form, section, list }
}

export function addFiles(chosen: readonly ChosenFile[]): void {
  const parts = findParts()
  if (parts === null) return
  if (chosen.length === 0) return announce('There are no files to upload.')
  const { form, section, list } = parts
  const compare = new Intl.Collator(undefined, { numeric: true }).compare
  const fields = [...new FormData(form)].filter((field): field is [string, string] => typeof field[1] === 'string')
  const maxBytes = Number(section.dataset['maxFileBytes'])
  for (const { file, path } of chosen.toSorted((a, b) => compare(a.path, b.path))) {
    const name = element('bdi', { class: 'file-name' }, path)
    const row = element('li', { class: 'file' }, name, element('span', { class: 'badge' }))
    const item: Item = { file, path, fields, row, state: 'waiting' }
    list.append(row)
    if (file.size > maxBytes)
      setState(item, 'refused', 'Not accepted', 'The file is larger than the limit for one file. Split it.')
    else {
      setState(item, 'waiting', 'Waiting')
      items.push(item)
    }
  }
  section.hidden = false
  section.scrollIntoView({ block: 'nearest' })
  announce(`${chosen.length === 1 ? '1 file' : `${chosen.length} files`} to upload.`)
  sendMore()
}

function setState(item: Item, state: State, text: string, note?: string): void {
  item.state = state
  const isBad = state === 'refused' || state === 'unsent'
  const [name] = item.row.children
  const badge = element('span', { class: isBad ? 'badge bad' : 'badge neutral' }, text)
  item.row.replaceChildren(...(name === undefined ? [] : [name]), badge, ...(note === undefined ? [] : [noteOf(note)]))
  item.row.dataset['status'] = state
}

function noteOf(text: string): HTMLElement {
  return element('p', { class: 'file-note' }, text)
}

/** Shows how many files are where, and whether some can be sent again. */
export function showSum(): void {
  const parts = findParts()
  if (parts === null || parts.section.hidden) return
  const rows = [...parts.list.children] as HTMLElement[]
  const count = (...states: string[]) => rows.filter(({ dataset }) => states.includes(dataset['status'] ?? '')).length
  const failed = count('failed', 'refused')
  const unsent = count('unsent')
  const sum = [
    `${count('ready')} of ${rows.length} ready`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unsent > 0 ? [`${unsent} not sent`] : []),
  ].join(', ')
  const place = parts.section.querySelector('#sending-sum')
  if (place !== null) place.textContent = sum
  show('#sending-again', unsent > 0)
  const isDone = count('waiting', 'sending', 'queued', 'processing') === 0
  show('#sending-next', isDone && count('ready') > 0)
  // In a long list, the user would have to look for them.
  const bad = rows.filter(({ dataset }) => BAD.has(dataset['status'] ?? ''))
  if (rows.length > SHORT_LIST && bad.some((row, at) => row !== rows[at])) parts.list.prepend(...bad)
  if (isDone && sum !== lastSum) announce(sum)
  lastSum = sum
}

let lastSum = ''

function show(selector: string, isShown: boolean): void {
  const found = document.querySelector<HTMLElement>(selector)
  if (found !== null) found.hidden = !isShown
}

/** Begins requests while there are files and free places. */
function sendMore(): void {
  while (sending < REQUESTS) {
    const batch = takeBatch()
    if (batch.length === 0) break
    sending++
    void send(batch).finally(() => {
      sending--
      sendMore()
    })
  }
  showSum()
}

/** Takes the next files that fit into a request. */
function takeBatch(): Item[] {
  const section = findParts()?.section.dataset
  const maxFiles = Number(section?.['maxFiles'])
  const batch: Item[] = []
  let bytes = 0
  for (const item of items) {
    if (item.state !== 'waiting' || (batch[0] !== undefined && item.fields !== batch[0].fields)) continue
    bytes += item.file.size
    if (batch.length === maxFiles || (batch.length > 0 && bytes > Math.min(REQUEST_BYTES, Number(section?.['maxBytes'])))) break
    batch.push(item)
    setState(item, 'sending', 'Sending')
  }
  return batch
}

async function send(batch: readonly Item[]): Promise<void> {
  const body = new FormData()
  // The token comes first: the instance reads no file before it.
  for (const [name, value] of batch[0]?.fields ?? []) body.append(name, value)
  for (const { file, path } of batch) body.append('file', file, path)
  const bars = batch.map(({ row }) => row.appendChild(element('progress', { max: '1', value: '0', 'aria-label': 'Sent' })))
  const sizes = batch.map(({ file }) => file.size)
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const outcome = await sendForm(addressFor('/upload'), body, (part) => {
      showSent(bars, sizes, part)
      // The instance looks at the files before it answers.
      if (part === 1) for (const { row } of batch) row.querySelector('.badge')?.replaceChildren('Checking')
    })
    if (outcome.kind === 'done') return accept(batch, outcome.files)
    if (outcome.kind === 'refused') return refuse(batch, outcome.reason, outcome.isFinal)
    await wait(outcome.waitMs)
  }
  refuse(batch, 'The instance could not be reached.', true)
}

/** Divides what was sent of a request among its files. */
function showSent(bars: readonly HTMLProgressElement[], sizes: readonly number[], part: number): void {
  let left = part * sizes.reduce((sum, size) => sum + size, 0)
  bars.forEach((bar, at) => {
    const size = sizes[at] ?? 0
    bar.value = size === 0 ? part : Math.min(1, Math.max(0, left / size))
    left -= size
  })
}

function accept(batch: readonly Item[], answers: readonly FileAnswer[]): void {
  const ids: string[] = []
  batch.forEach((item, at) => {
    const answer = answers[at] ?? { refusal: 'The instance gave no answer for this file. Send it again.' }
    if ('refusal' in answer) setState(item, 'refused', 'Not accepted', answer.refusal)
    else {
      // From here on, the instance renders the row.
      setState(item, 'sending', 'Waiting')
      item.row.firstElementChild?.replaceWith(
        element('a', { class: 'file-name', href: answer.url }, element('bdi', {}, item.path)),
      )
      Object.assign(item.row.dataset, { live: answer.id, pending: '', status: 'queued' })
      ids.push(answer.id)
    }
  })
  items = items.filter((item) => !batch.includes(item))
  refresh(ids)
  follow()
}

/** A refused request may have one wrong file, so each file is sent again on its own. */
function refuse(batch: readonly Item[], reason: string, isFinal: boolean): void {
  if (batch.length > 1 && !isFinal) return alone(batch)
  for (const item of batch) setState(item, isFinal ? 'unsent' : 'refused', isFinal ? 'Not sent' : 'Not accepted', reason)
  if (isFinal) for (const item of items) if (item.state === 'waiting') setState(item, 'unsent', 'Not sent', reason)
}

function alone(batch: readonly Item[]): void {
  // Files with other fields never share a request.
  for (const item of batch) {
    item.fields = [...item.fields]
    setState(item, 'waiting', 'Waiting')
  }
}

/** The answer for each file, in the order of the files. */
type FileAnswer = { id: string; url: string } | { refusal: string }

type SendOutcome =
  | { kind: 'done'; files: FileAnswer[] }
  /** The instance asks to wait, or the network is away. */
  | { kind: 'later'; waitMs: number }
  /** The request as a whole is refused. `isFinal` if the same request with other files would be refused too. */
  | { kind: 'refused'; reason: string; isFinal: boolean }

const NETWORK_WAIT_MS = 3000

/** Posts a form. `onProgress` gets the part of the body that was sent, from 0 to 1. */
function sendForm(address: string, body: FormData, onProgress: (part: number) => void): Promise<SendOutcome> {
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

/** A file with its path, which begins with the name of the folder that the user chose. */
interface ChosenFile {
  file: File
  path: string
}

function fromInput({ files }: HTMLInputElement): ChosenFile[] {
  return [...(files ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ file, path }) => path === file.name || !path.split('/').some(isHiddenOrGenerated))
}

/** Returns the dropped files, and all files in the dropped folders. */
async function fromDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  // The browser empties the list after the event.
  const dropped = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found: ChosenFile[] = []
  for (const { entry, file } of dropped) {
    if (entry !== null) await collect(entry, found, true)
    // A file that is in no folder of this computer, such as an image from another view.
    else if (file !== null) found.push({ file, path: file.name })
  }
  return found
}

async function collect(entry: FileSystemEntry, found: ChosenFile[], isTop: boolean): Promise<void> {
  if (!isTop && isHiddenOrGenerated(entry.name)) return
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ file, path: entry.fullPath.slice(1) })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A folder comes in several parts.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return
    for (const child of part) await collect(child, found, false)
  }
}

/** Takes files that are dropped anywhere on a view with `data-drop`, the address of the view that uploads them. */
export function startDropping(): void {
  let depth = 0
  const mark = () => document.body.classList.toggle('dropping', depth > 0)
  document.addEventListener('dragenter', (event) => {
    if (!isTaken(event)) return
    depth++
    mark()
  })
  document.addEventListener('dragleave', (event) => {
    if (!isTaken(event)) return
    // The last one leaves the window, and browsers don't always report the others.
    depth = event.relatedTarget === null ? 0 : Math.max(0, depth - 1)
    mark()
  })
  document.addEventListener('dragover', (event) => {
    if (isTaken(event)) event.preventDefault()
  })
  document.addEventListener('drop', (event) => {
    depth = 0
    mark()
    if (!isTaken(event)) return
    event.preventDefault()
    if (event.dataTransfer !== null) void take(event.dataTransfer)
  })
}

function dropAddress(): string | undefined {
  return document.querySelector<HTMLElement>('main[data-drop]')?.dataset['drop']
}

function isTaken({ dataTransfer }: DragEvent): boolean {
  return dropAddress() !== undefined && dataTransfer?.types.includes('Files') === true
}

async function take(transfer: DataTransfer): Promise<void> {
  const address = dropAddress()
  const files = await fromDrop(transfer)
  if (document.querySelector('form#upload') === null && address !== undefined) await openUpload(address)
  addFiles(files)
}

/** Shows the view that uploads, without loading it, because the dropped files belong to this one. */
async function openUpload(address: string): Promise<void> {
  const { document: page } = await fetchPage(address)
  const header = page.querySelector('header.bar')
  const main = page.querySelector('main')
  if (main === null || header === null) return location.assign(address)
  revealScripted(main)
  document.querySelector('header.bar')?.replaceWith(document.adoptNode(header))
  const old = document.querySelector('main')
  // In some views, the main part has a frame around it.
  ;(old?.parentElement === document.body ? old : old?.parentElement)?.replaceWith(document.adoptNode(main))
  takeFrame(page)
  history.pushState(null, '', address)
  addEventListener('popstate', () => location.reload())
  startUpload()
}

import { fromDrop } from './dropped-files.ts'
import { fetchPage } from './fetch-page.ts'
import { revealScripted, takeFrame } from './dom.ts'
import { addFiles, startUpload } from './upload.ts'

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

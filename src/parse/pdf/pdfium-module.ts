import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

let module: Promise<Pdfium> | null = null

/** Emscripten's views of the memory, which the package's types lack. */
interface Heap {
  HEAPU8: Uint8Array
  HEAPF32: Float32Array
  HEAPF64: Float64Array
}

/** PDFium and its memory. Each process has one. */
export interface Pdfium {
  api: WrappedPdfiumModule
  /** The C functions, which take numbers and pointers. */
  exports: WrappedPdfiumModule['pdfium']['wasmExports']
  malloc(bytes: number): number
  free(pointer: number): void
  /** Returns a view of the memory. Views become invalid when the memory grows, so get a new one for each use. */
  bytes(): Uint8Array
  doubles(): Float64Array
  floats(): Float32Array
  /** Returns UTF-16LE text from the memory. */
  text(pointer: number, units: number): string
  /** Calls a C function that fills a buffer with text and returns its size in bytes, with the zeros at its end. */
  utf16(call: (buffer: number, bytes: number) => number, maxBytes?: number): string
}

/** Loads PDFium from the installed package, without any download. */
export function loadPdfium(): Promise<Pdfium> {
  module ??= load()
  return module
}

async function load(): Promise<Pdfium> {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')))
  const api = await init({ wasmBinary: new Uint8Array(wasm).buffer })
  api.PDFiumExt_Init()
  const pdfium = api.pdfium as typeof api.pdfium & Heap
  const bytes = (): Uint8Array => pdfium.HEAPU8
  const malloc = (size: number): number => {
    const pointer = pdfium.wasmExports.malloc(size)
    if (pointer === 0) throw new RangeError('PDFium has no memory left')
    return pointer
  }
  const free = (pointer: number): void => pdfium.wasmExports.free(pointer)
  const text = (pointer: number, units: number): string =>
    Buffer.from(bytes().buffer as ArrayBuffer, pointer, units * 2).toString('utf16le')
  return {
    api,
    exports: pdfium.wasmExports,
    malloc,
    free,
    bytes,
    doubles: () => pdfium.HEAPF64,
    floats: () => pdfium.HEAPF32,
    text,
    utf16(call, maxBytes = 20_000) {
      const needed = call(0, 0)
      if (needed <= 2) return ''
      const size = Math.min(needed, maxBytes) & ~1
      if (size < needed) return ''
      const buffer = malloc(size)
      try {
        call(buffer, size)
        return text(buffer, size / 2 - 1)
      } finally {
        free(buffer)
      }
    },
  }
}

/** Pages of WebAssembly. */
export const KERNEL_PAGE_BYTES = 65_536
/**
 * Each memory takes 8 GB of the process's 128 TB of address space, so smaller files don't get one. The processor's cache often has their rows,
 * and copying them costs little.
 */
export const MIN_KERNEL_FILE_BYTES = 2 ** 20
const MAX_PAGES = 65_536

/** A file in memory whose rows the kernel (dot-kernel.ts) reads without copying them. Threads share it. */
export interface KernelFile {
  memory: WebAssembly.Memory
  /** Length of the file. The memory is a little longer, because the kernel may read a few rows past the last one. */
  size: number
}

const memories = new WeakMap<ArrayBufferLike, WebAssembly.Memory>()

/** Returns memory for a file of vectors, or null when the file is small or the system has no address space left. */
export function allocateForKernel(size: number): KernelFile | null {
  const pages = Math.ceil(size / KERNEL_PAGE_BYTES) + 1
  if (size < MIN_KERNEL_FILE_BYTES || pages > MAX_PAGES) return null
  try {
    return { memory: newMemory(pages), size }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export function newMemory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
}

/** Returns the bytes of a file. From then on the kernel finds their memory. */
export function bytesOfKernelFile({ memory, size }: KernelFile): Uint8Array {
  memories.set(memory.buffer, memory)
  return new Uint8Array(memory.buffer, 0, size)
}

/** Returns memory for a file of vectors that threads, and if possible the kernel, can share. */
export function bytesForKernel(size: number): Uint8Array {
  const file = allocateForKernel(size)
  return file === null ? new Uint8Array(new SharedArrayBuffer(size)) : bytesOfKernelFile(file)
}

/** Returns the file that has these bytes, or null when they are not in the kernel's memory. */
export function kernelFileOf(bytes: Uint8Array): KernelFile | null {
  const memory = memories.get(bytes.buffer)
  return memory === undefined || bytes.byteOffset > 0 ? null : { memory, size: bytes.length }
}

/** Returns the memory that has the rows, if the kernel can read them there. */
export function memoryWith(rows: Int8Array): WebAssembly.Memory | undefined {
  return memories.get(rows.buffer)
}

/** Returns whether a kernel can read rows without copying them. */
export function canRead(rows: Int8Array): boolean {
  return memories.has(rows.buffer)
}

const ALIGNMENT = 16

/** A module of WebAssembly whose functions read two memories: one of a thread's own, and one with rows, which may be a file. */
export class KernelModule<Functions> {
  private readonly module: WebAssembly.Module
  private readonly own: WebAssembly.Memory
  private readonly instances = new WeakMap<WebAssembly.Memory, Functions>()

  constructor(module: WebAssembly.Module, own: WebAssembly.Memory) {
    this.module = module
    this.own = own
  }

  /** Returns the functions for rows in a memory. */
  of(rows: WebAssembly.Memory): Functions {
    let functions = this.instances.get(rows)
    if (functions === undefined) {
      const { exports } = new WebAssembly.Instance(this.module, { kernel: { memory: this.own }, rows: { memory: rows } })
      this.instances.set(rows, (functions = exports as Functions))
    }
    return functions
  }
}

export function compileKernel(base64: string): WebAssembly.Module {
  return new WebAssembly.Module(Buffer.from(base64, 'base64'))
}

export function pagesFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / KERNEL_PAGE_BYTES))
}

export function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}

import { KERNEL_PAGE_BYTES } from './kernel-memory.ts'

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

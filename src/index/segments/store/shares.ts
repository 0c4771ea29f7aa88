import type { BlockCachePlace, RemoteFile } from '../remote-file.ts'

/** The right to write an index. A process that takes the lease later has a greater fence. */
export interface WriterLease {
  fence: number
}

/** Where processes share the segments of an index. Passes between threads, each of which opens its own connections. */
export interface SharedPlace {
  /** The address of the object store. */
  address: string
  /** Large files stay in the object store, and threads read them through this cache. By default, this process has copies of all files. */
  cache?: BlockCachePlace
  /** How many bytes of this disk the copies of smaller files may take. By default, all these files have copies. */
  maxCopyBytes?: number
  /** Replaces `MIN_REMOTE_BYTES` in tests. */
  minRemoteBytes?: number
  /** Replaces `GRACE_MS` in tests. */
  graceMs?: number
}

/** The segments of one index as other processes see them. */
export interface Shares {
  /**
   * Makes this process the writer. Returns the projects that have changed since this process last read the commits. Throws `writer_replaced` when
   * there already is a writer with this fence or a later one.
   */
  takeOver(lease: WriterLease): Promise<ReadonlySet<string>>
  /** Stores a file that a later commit names. */
  upload(projectId: string, file: string, bytes: Uint8Array): Promise<void>
  /** Switches a project to other files. Null when no segment is left. Throws `writer_replaced`. */
  commit(projectId: string, manifest: Uint8Array | null): Promise<void>
  /** Makes sure that this process is still the writer, and that no failed commit has taken effect. Throws `writer_replaced`. */
  confirm(): Promise<void>
  /** The number of the last commit that this process knows. */
  readonly version: number
  /** How many projects have segments in this commit. */
  readonly projectCount: number
  /** Returns how threads read a large file. Null for a file that has a copy on this disk. */
  remoteFile(projectId: string, file: string, size: number): RemoteFile | null
  /** Reads the commits of other processes. Returns the projects that have changed. */
  follow(): Promise<ReadonlySet<string>>
  /** Brings the local files of all projects, or some, to the state of the last commit that this process knows. */
  fetch(projectIds?: ReadonlySet<string>): Promise<void>
  /** Returns the files that no commit names, except for new files. The writer may be about to name some of them again. */
  unnamed(): Promise<string[]>
  /** Returns which of these unnamed files no commit will ever name again. Throws `writer_replaced`. */
  unneeded(files: readonly string[]): Promise<string[]>
  /** Deletes unneeded files, and commits that no process needs any more. Any process may call this, even one that was frozen. */
  delete(files: readonly string[]): Promise<void>
}

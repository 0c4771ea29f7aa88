/**
 * How bad a finding is. `warning`: nothing is lost, and docsearch works. `error`: something is damaged or missing. `fatal`: docsearch can't
 * work with this data folder, or the doctor could not check it.
 */
export type Severity = 'warning' | 'error' | 'fatal'

interface FindingKind {
  severity: Severity
  /** What the finding means, for the table in docs/doctor.md. */
  meaning: string
  /** What the operator can do. */
  advice: string
  /** What `--fix` does; null when it can do nothing. */
  fix: string | null
}

/** Everything that `docsearch doctor` can find. docs/doctor.md has the same table. */
export const FINDINGS = {
  check_failed: {
    severity: 'fatal',
    meaning: 'A check ended with an error, so its part of the instance is unknown.',
    advice: 'Read the message, remove its cause, and run the doctor again.',
    fix: null,
  },
  config_invalid: {
    severity: 'error',
    meaning: '`config.json` or the environment has settings that `serve` refuses.',
    advice: 'Correct the settings that the message names. `docsearch serve --print-config` shows all settings.',
    fix: null,
  },
  permissions_open: {
    severity: 'warning',
    meaning: 'Other users of the machine can read or write a file of the data folder.',
    advice: 'Run `docsearch doctor --fix`, or remove the permissions of group and others with `chmod -R go= FOLDER`.',
    fix: 'Removes the permissions of group and others.',
  },
  owner_differs: {
    severity: 'error',
    meaning: 'A file of the data folder belongs to another user of the machine, or the daemon cannot read or write it.',
    advice: 'Give all files of the data folder to the user who runs the daemon, with `chown -R`.',
    fix: null,
  },
  leftover_files: {
    severity: 'warning',
    meaning: 'A process that ended abruptly has left temporary files, or objects in the object store. No document needs them.',
    advice: 'Run `docsearch doctor --fix`. The next start of the daemon, or of a worker, deletes them as well.',
    fix: 'Deletes them, unless a daemon runs on the data folder.',
  },
  page_image_damaged: {
    severity: 'warning',
    meaning: 'A cached image of a page is damaged. docsearch draws it again when a user opens the page.',
    advice: 'Run `docsearch doctor --fix`, or do nothing.',
    fix: 'Deletes the cached image.',
  },
  model_file_damaged: {
    severity: 'error',
    meaning: 'The word vectors of the built-in model, which come with the program, are missing or damaged.',
    advice: 'Install docsearch again.',
    fix: null,
  },
  database_missing: {
    severity: 'fatal',
    meaning: 'The data folder has originals or an index, but no database.',
    advice: 'Restore the database from a backup. `blobs` still has the contents of the documents, but not their names.',
    fix: null,
  },
  database_damaged: {
    severity: 'fatal',
    meaning: 'SQLite finds damage in `docsearch.db`.',
    advice: 'Stop the daemon, keep a copy of the folder, and restore a backup. Nothing else can repair the database.',
    fix: null,
  },
  database_locked: {
    severity: 'fatal',
    meaning: 'The database could not be read, because another process has locked it or this user may not read it.',
    advice: 'Read the message, remove its cause, and run the doctor again.',
    fix: null,
  },
  database_newer: {
    severity: 'fatal',
    meaning: 'A newer version of docsearch has written to the database.',
    advice: 'Install that version, and check the folder with it.',
    fix: null,
  },
  database_older: {
    severity: 'warning',
    meaning: 'An earlier version of docsearch wrote the database. The doctor checked only what does not depend on its tables.',
    advice:
      'Start this version once with `docsearch serve`, which upgrades the database or says which version can. Then run the doctor again.',
    fix: null,
  },
  log_damaged: {
    severity: 'error',
    meaning: 'The write-ahead log of the database is damaged or cut off, so SQLite ignores the changes after that point.',
    advice:
      'The latest changes may be lost. Compare the newest documents with your files, upload what is missing, or restore a backup.',
    fix: null,
  },
  database_copy_damaged: {
    severity: 'warning',
    meaning: 'A copy of the database from before an upgrade is damaged. You need it only to go back to the earlier version.',
    advice: 'Delete the copy, unless you want to go back to that version and have no other backup of that time.',
    fix: null,
  },
  webhook_key_damaged: {
    severity: 'error',
    meaning:
      '`webhook.key`, which decrypts the secrets of webhooks, is missing, damaged or replaced, or every secret is damaged. docsearch sends no messages to webhooks.',
    advice:
      'Stop the daemon and copy `webhook.key` from a backup. If you have no backup or that does not help, delete the file and rotate the secret of each webhook with `docsearch webhooks rotate`.',
    fix: null,
  },
  webhook_secret_damaged: {
    severity: 'error',
    meaning: 'The stored secret of a webhook is damaged. docsearch sends no messages to this webhook.',
    advice: 'Rotate the secret with `docsearch webhooks rotate`.',
    fix: null,
  },
  references_broken: {
    severity: 'error',
    meaning: 'Rows of the database refer to rows that do not exist.',
    advice: 'Keep a copy of the folder, and restore a backup from before the damage.',
    fix: null,
  },
  original_missing: {
    severity: 'error',
    meaning: 'The original of a document is gone. Its text stays searchable.',
    advice: 'Upload the same file again, or restore a backup.',
    fix: 'Adds a warning to the documents, so that the next upload of the same file restores the original.',
  },
  original_damaged: {
    severity: 'error',
    meaning:
      'The original of a document is empty, cut off, or differs from the file that was uploaded. Its text stays searchable.',
    advice: 'Upload the same file again, or restore a backup.',
    fix: 'Adds a warning to the documents, so that the next upload of the same file restores the original.',
  },
  original_unreadable: {
    severity: 'error',
    meaning: 'The system refuses to read an original.',
    advice: 'Check the permissions of the file and the health of the disk.',
    fix: null,
  },
  original_restored: {
    severity: 'warning',
    meaning: 'Documents have a warning about a damaged original, but the original is intact again.',
    advice: 'Run `docsearch doctor --fix`.',
    fix: 'Removes the warning.',
  },
  text_missing: {
    severity: 'error',
    meaning: 'A document is ready, but the database lacks pages of its text.',
    advice: 'Run `docsearch doctor --fix`, or reprocess the document with `docsearch documents reprocess ID`.',
    fix: 'Queues the document again, if its original is intact.',
  },
  text_damaged: {
    severity: 'error',
    meaning: 'The stored text of a document differs from its checksum. Searches and views may show wrong characters.',
    advice: 'Run `docsearch doctor --fix`, or reprocess the document with `docsearch documents reprocess ID`.',
    fix: 'Queues the document again, if its original is intact.',
  },
  counts_wrong: {
    severity: 'warning',
    meaning: 'Stored numbers (documents of a project or folder, usage of a user, documents that wait) differ from the documents.',
    advice: 'Run `docsearch doctor --fix`.',
    fix: 'Counts again.',
  },
  vocabulary_wrong: {
    severity: 'warning',
    meaning: 'The vocabulary that corrects spelling differs from the words of the documents.',
    advice: 'Run `docsearch doctor --fix`.',
    fix: 'Counts the words again.',
  },
  index_missing: {
    severity: 'warning',
    meaning: 'There is no index for the documents that are ready.',
    advice: 'Start the daemon. It builds the index from the stored texts.',
    fix: null,
  },
  index_damaged: {
    severity: 'error',
    meaning: 'A file of the search index is missing or damaged. The index can always be rebuilt from the stored texts.',
    advice: 'Run `docsearch doctor --fix`. The daemon also repairs damage that it notices at its start or during a search.',
    fix: 'Has the index of a data folder rebuilt from the stored texts: by the running daemon, or at the next start.',
  },
  segment_damaged: {
    severity: 'error',
    meaning: 'A file of the segments is missing or damaged. Searches miss its passages until it is rebuilt.',
    advice: 'Run `docsearch doctor --fix`, or restart the daemon, which rebuilds damaged segments.',
    fix: 'Removes the damaged files of the segments, which the daemon rebuilds at its next start. For an index in an object store, queues their documents again.',
  },
  passages_damaged: {
    severity: 'error',
    meaning: 'A file with texts and vectors of the search index differs from its checksum. Results may be wrong.',
    advice: 'Run `docsearch doctor --fix`. The scrub of the daemon also finds and repairs it.',
    fix: 'Queues the documents with passages in the file again. Meanwhile, searches still find them.',
  },
  checksums_damaged: {
    severity: 'warning',
    meaning: 'The list of checksums of the search index is damaged. Searches do not use the list.',
    advice: 'Start or restart the daemon, which writes the list again.',
    fix: 'Removes the list, unless a daemon runs on the folder. The next start writes it again.',
  },
  passages_missing: {
    severity: 'error',
    meaning: 'A document is ready, but the index lacks it, or has another version or number of passages.',
    advice: 'Run `docsearch doctor --fix`, or restart the daemon.',
    fix: 'Queues the document again. Its stored text is indexed without reading the original.',
  },
  passages_left: {
    severity: 'error',
    meaning: 'The index has passages of a document that was deleted or has failed.',
    advice: 'Run `docsearch doctor --fix`, or restart the daemon.',
    fix: 'Marks the passages for deletion. The daemon deletes them.',
  },
  index_leftover: {
    severity: 'warning',
    meaning: 'The data folder or the object store has files of an index that are no longer in use.',
    advice:
      'Restart the daemon or the workers to delete them. The worker that writes the index also deletes files of segments every few hours.',
    fix: null,
  },
  disk_low: {
    severity: 'warning',
    meaning: 'The disk of the data folder is almost full. Uploads may be refused soon.',
    advice: 'Free some space, empty the trash, or move the data folder to a larger disk.',
    fix: null,
  },
  disk_full: {
    severity: 'error',
    meaning: 'The disk of the data folder is full. docsearch refuses uploads.',
    advice: 'Free some space, empty the trash, or move the data folder to a larger disk.',
    fix: null,
  },
  disk_remote: {
    severity: 'warning',
    meaning:
      'The data folder is on a network file system (NFS, SMB). Locking and syncing files are not reliable there, so the database can be damaged.',
    advice: 'Move the data folder to a disk of this machine. For several machines, use PostgreSQL and an object store.',
    fix: null,
  },
  clock_behind: {
    severity: 'error',
    meaning: 'The clock is earlier than the newest row of the database, so it went back or was wrong before.',
    advice: 'Set the clock, and let NTP keep it right. With a wrong clock, logins and links expire too late or too early.',
    fix: null,
  },
  clock_differs: {
    severity: 'warning',
    meaning: 'The clock of the instance differs from the clock of this machine.',
    advice: 'Set both clocks, and let NTP keep them right.',
    fix: null,
  },
  address_unreachable: {
    severity: 'error',
    meaning: 'The public URL does not answer.',
    advice: 'Check the name in DNS, the reverse proxy, the firewall, and `public_url`.',
    fix: null,
  },
  address_wrong: {
    severity: 'error',
    meaning: 'The public URL is answered by something else, or the metadata for applications name another issuer.',
    advice: 'Set `public_url` to the address that users type, and let the reverse proxy pass `/.well-known/` to docsearch.',
    fix: null,
  },
  address_insecure: {
    severity: 'warning',
    meaning: 'The public URL uses HTTP on an address that is not local. Passwords and documents cross the network unencrypted.',
    advice: 'Put a reverse proxy with TLS in front, and set `public_url` to its HTTPS address.',
    fix: null,
  },
  certificate_expires: {
    severity: 'warning',
    meaning: 'The certificate of the public URL expires within two weeks.',
    advice: 'Renew the certificate, and check why it was not renewed automatically.',
    fix: null,
  },
  certificate_invalid: {
    severity: 'error',
    meaning: 'The certificate of the public URL has expired, is for another name, or comes from an unknown authority.',
    advice: 'Renew or replace the certificate. For an authority of your own, pass `--cacert`.',
    fix: null,
  },
  ollama_unreachable: {
    severity: 'error',
    meaning: 'The index or the reranker needs Ollama, which does not answer.',
    advice: 'Start Ollama, or correct the setting `ollama`.',
    fix: null,
  },
  model_missing: {
    severity: 'error',
    meaning: 'Ollama lacks a model that the index or the reranker needs.',
    advice: 'Download the model with `docsearch models pull MODEL`.',
    fix: null,
  },
} as const satisfies Record<string, FindingKind>

export type FindingCode = keyof typeof FINDINGS

export interface Finding {
  code: FindingCode
  severity: Severity
  /** What is wrong, as a sentence. */
  message: string
  /** What to do. */
  advice: string
  /** The file, relative to the data folder, or the address; null when the finding is about neither. */
  place: string | null
  /** The documents that the finding concerns. */
  documents: readonly FoundDocument[]
  /** What `--fix` did, as a sentence; null when nothing was done. */
  fixed: string | null
  /** False while something is left to do, also after `fixed`. */
  isRepaired: boolean
}

export interface FoundDocument {
  id: string
  project: string
  path: string
}

export function finding(
  code: FindingCode,
  message: string,
  { place = null, documents = [] }: Partial<Pick<Finding, 'place' | 'documents'>> = {},
): Finding {
  const { severity, advice } = FINDINGS[code]
  return { code, severity, message, advice, place, documents, fixed: null, isRepaired: false }
}

/** Records that a finding was repaired. */
export function repaired(found: Finding, how: string): void {
  found.fixed = how
  found.isRepaired = true
}

/** The parts of an examination, in their order. */
export const CHECKS = [
  'folder',
  'space',
  'database',
  'clock',
  'originals',
  'statistics',
  'index',
  'page_images',
  'webhooks',
  'models',
  'address',
] as const
export type CheckName = (typeof CHECKS)[number]

export interface CheckResult {
  name: CheckName
  /** `skipped`: the check could not run, or was not requested. */
  status: 'ok' | 'findings' | 'skipped'
  /** What the check looked at, or why it was skipped, as a sentence. */
  message: string
}

export interface Examination {
  checks: CheckResult[]
  findings: Finding[]
}

/** Returns `ok` also when everything that was found is repaired. */
export function statusOf(findings: readonly Pick<Finding, 'severity' | 'isRepaired'>[]): 'ok' | 'findings' | 'fatal' {
  const left = findings.filter(({ isRepaired }) => !isRepaired)
  if (left.length === 0) return 'ok'
  return left.some(({ severity }) => severity === 'fatal') ? 'fatal' : 'findings'
}

import { defineNoun } from '../../define.ts'
import create from './create.ts'
import verify from './verify.ts'

export default defineNoun({
  name: 'backup',
  summary: 'Back up an instance, or verify a backup',
  description:
    'Write everything that an instance has to a file or folder: users, projects, documents with their originals, and the trash. The ' +
    'instance stays available during the backup. Restore a backup with `docsearch restore`.',
  commands: [verify],
  standalone: create,
})

import { defineNoun } from '../../define.ts'
import create from './create.ts'
import verify from './verify.ts'

export default defineNoun({
  name: 'backup',
  summary: 'Back up an instance, or verify a backup',
  description:
    'Write everything that an instance has to a file or folder: accounts, projects, documents with their originals and their trash. ' +
    'The instance goes on working meanwhile. Restore it with `docsearch restore`.',
  commands: [verify],
  standalone: create,
})

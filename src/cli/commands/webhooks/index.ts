import { defineNoun } from '../../define.ts'
import add from './add.ts'
import deliveries from './deliveries.ts'
import edit from './edit.ts'
import list from './list.ts'
import remove from './remove.ts'
import rotate from './rotate.ts'
import test from './test.ts'

export default defineNoun({
  name: 'webhooks',
  summary: 'Send messages about documents to other programs',
  description:
    "List, add, change, test and remove the webhooks of a project. docsearch sends a signed message to a webhook's address when a document is ready, fails or is deleted. Only managers of the project can see and change them.",
  commands: [list, add, edit, rotate, remove, test, deliveries],
  standalone: list,
})

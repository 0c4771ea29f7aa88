import { defineNoun } from '../../define.ts'
import { DATA_OPTIONS } from '../administer.ts'
import add from './add.ts'
import remove from './delete.ts'
import disable from './disable.ts'
import enable from './enable.ts'
import list from './list.ts'
import reset from './reset.ts'
import show from './show.ts'

export default defineNoun({
  name: 'users',
  summary: 'Add, list, disable, reset and delete users',
  description: 'Add, list, disable, reset and delete the users of an instance. Only its owner may do this.',
  options: DATA_OPTIONS,
  commands: [add, list, show, disable, enable, reset, remove],
  standalone: list,
})

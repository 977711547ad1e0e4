/** Polls that wait at a node: projects that take all places do not end the wait of another. */
import t from 'tap'
import { type Waiting, WaitingPolls } from '../../http/routes/polls/waiting_polls.ts'

const MAX = 192
const MAX_OF_PROJECT = 32

function waits() {
  const polls = new WaitingPolls()
  const ended: string[] = []
  const enter = (project_id: string, name = project_id): Waiting => {
    const waiting = { project_id, listener: { end: () => void ended.push(name) } }
    polls.enter(waiting)
    return waiting
  }
  return { polls, ended, enter }
}

t.test('a project beyond its share ends its own oldest wait', async (t) => {
  const { ended, enter } = waits()
  for (let n = 0; n < MAX_OF_PROJECT + 2; n++) enter('one', `one ${n}`)
  t.same(ended, ['one 0', 'one 1'])
})

t.test('six projects that take all places again and again do not end the single wait of a seventh', async (t) => {
  const { ended, enter } = waits()
  for (let n = 0; n < MAX - 1; n++) enter(`flood ${n % 6}`)
  enter('calm')
  for (let n = 0; n < 10_000; n++) enter(`flood ${n % 6}`)
  t.notOk(ended.includes('calm'))
  t.equal(ended.length, 10_000, 'one for each that came')
  enter('late')
  t.notOk(ended.includes('calm') || ended.includes('late'), 'who comes late has a place, too')
})

t.test('a wait that has left gives its place back once', async (t) => {
  const { polls, ended, enter } = waits()
  const all = Array.from({ length: MAX_OF_PROJECT }, () => enter('one'))
  polls.leave(all[0]!)
  polls.leave(all[0]!)
  enter('one')
  t.same(ended, [])
  enter('one')
  t.same(ended, ['one'])
})

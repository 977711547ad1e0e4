/** The memory of an owner for questions it was asked: bounded in time and number. */
import t from 'tap'
import { RecentQuestions } from '../../runtime/broker/recent_questions.ts'

type Answer = 'done' | 'moved'
const done = () => Promise.resolve<Answer>('done')
const wasNotDone = (answer: Answer) => answer === 'moved'

t.test('a question is known for 12 seconds at least, with its answer for 4, and forgotten after 20', async (t) => {
  let now = 0
  const heard = new RecentQuestions<Answer>(() => now)
  heard.remember('first', done(), wasNotDone)
  await null
  for (let n = 0; n <= 12; n++) {
    now = n * 1000
    heard.remember(`at ${n} s`, done(), wasNotDone)
    t.ok(heard.find('first'), `known after ${n} s`)
    if (n <= 4) t.equal(await heard.find('first')!.answer, 'done', `with its answer after ${n} s`)
  }
  t.equal(heard.find('first')!.answer, undefined)
  for (now = 13_000; now <= 20_000; now += 1000) heard.remember(`at ${now} ms`, done(), wasNotDone)
  t.equal(heard.find('first'), undefined)
})

t.test('a question that was not done may be asked again', async (t) => {
  const heard = new RecentQuestions<Answer>()
  const answer = Promise.resolve<Answer>('moved')
  heard.remember('a', answer, wasNotDone)
  await answer
  t.equal(heard.find('a'), undefined)
})

t.test('a repeated question waits for a pending answer, however old the question is', async (t) => {
  let now = 0
  const heard = new RecentQuestions<Answer>(() => now)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  heard.remember('slow', promise, wasNotDone)
  for (const at of [5000, 10_000]) {
    now = at
    heard.remember(`at ${at}`, done(), wasNotDone)
  }
  resolve('done')
  t.equal(await heard.find('slow')!.answer, 'done')
})

t.test('a wall clock that is set back changes nothing, and no flood is remembered as a whole', async (t) => {
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  const heard = new RecentQuestions<Answer>()
  heard.remember('before', done(), wasNotDone)
  Date.now = () => now() - 3_600_000
  for (let n = 0; n < 400_000; n++) heard.remember(String(n), done(), wasNotDone)
  t.ok(heard.size <= 4 * 65_536, `${heard.size} are remembered`)
  t.ok(heard.find('399999'))
  t.equal(heard.find('before'), undefined)
})

/** Messages, their contacts and what belongs to a channel stay exact from two nodes at once. */
import type { Test } from 'tap'
import { identityToken, visitPage } from '../../http/visitor_page.ts'
import { type Answer, eventually, type Json, patiently } from '../client.ts'
import { allMessages, type ClusterNode, statuses } from '../cluster.ts'
import { makeAgent, ownPage, signIn } from '../console_client.ts'
import { made, makeTenant } from '../fixture.ts'
import { startPoller } from '../poller.ts'
import { atOnce, cluster, database, inbound, nodes, somewhen, text, upTo, world } from './nodes.ts'

export async function keyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const body = { channel: 'whatsapp', to: '+15550180000', message: text('Once') }
  const headers = { 'idempotency-key': 'two hundred' }
  const answers = await atOnce(200, async (node) => {
    await somewhen()
    return patiently(() => node.call(tenant.token, 'POST', 'messages', body, { headers }))
  })
  t.same(statuses(answers), { 202: 200 }, 'one key, 200 times')
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'one answer')
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true').length, 199)
  await tenant.message(answers[0]!.body.id, 'read')
  t.equal((await tenant.sent()).length, 1, 'one message at the provider')
  t.equal((await allMessages(nodes[1]!, tenant.token)).length, 1)
}

/** A receiver that polls both nodes in turn gets each event once and in order. */
export async function pollIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const events = ['whatsapp.message.received']
  const { id } = await made(() => tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events }))
  let turn = 0
  const poller = startPoller((query) =>
    nodes[turn++ % nodes.length]!.call(tenant.token, 'GET', `webhooks/${id}/poll${query}`),
  )
  const path = `webhooks/${id}/poll`
  const { next_cursor } = await made(() => tenant.api('GET', path))
  // A poll that no news wakes ends with an empty page.
  const woken = nodes.map((node) =>
    patiently(() => node.call(tenant.token, 'GET', `${path}?wait=25&cursor=${next_cursor}`)),
  )
  const count = 30
  await atOnce(count, async (node, n) => {
    await somewhen()
    return patiently(() => inbound(node, tenant, `wamid.poll.${id}.${n}`, `1555767${1000 + n}`))
  })
  await eventually('all events', () => poller.seen.length >= count)
  await poller.stop()
  for (const { body } of await Promise.all(woken)) t.ok(body.data.length > 0, 'a commit wakes polls of both nodes')
  const deliveries = await tenant.deliveries(id)
  t.strictSame(
    poller.seen.map((event) => event.id),
    deliveries.map(({ event_id }) => event_id).reverse(),
    'each event once, in order',
  )
}

/** `contact_identity`: fifty sends and inbound messages at once, for a person whom none of the senders knows yet. */
export async function contactIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const to = '+15550180001'
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    if (Math.floor(n / nodes.length) % 2) {
      return patiently(() => inbound(node, tenant, `wamid.contact.${n}`, to.slice(1)))
    }
    const headers = { 'idempotency-key': `contact ${n}` }
    const send = { channel: 'whatsapp', to, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  t.ok(
    answers.every(({ status }) => status === 202 || status === 200),
    JSON.stringify(statuses(answers)),
  )
  const messages = await allMessages(nodes[0]!, tenant.token)
  t.equal(messages.length, 50)
  t.equal(new Set(messages.map(({ chat_user }) => chat_user)).size, 1, 'one contact')
  const rows = await database.execute('select _id from contact where project_id = ?', [tenant.project_id])
  t.same(rows, [{ _id: messages[0].chat_user }])
}

/** `message_provider`: the provider repeats one call to both nodes. */
export async function inboundIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    return patiently(() => inbound(node, tenant, `wamid.repeated.${n % 5}`, '15550180002'))
  })
  t.same(statuses(answers), { 200: 50 })
  const stored = (await allMessages(nodes[1]!, tenant.token)).map(({ provider_message_id }) => provider_message_id)
  t.same(
    stored.sort(),
    upTo(5).map((n) => `wamid.repeated.${n}`),
  )
}

/** `flow_provider`: one request to register a Flow, repeated to both nodes, beside many different ones. */
export async function flowIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const layout = {
    type: 'SingleColumnLayout',
    children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
  }
  const flow_json = { version: '7.0', screens: [{ id: 'ONE', title: 'One', terminal: true, layout }] }
  const register = (node: ClusterNode, name: string) =>
    patiently(async () => {
      const headers = { 'idempotency-key': name }
      const answer = await node.call(
        tenant.token,
        'POST',
        'flows',
        { name, categories: ['SURVEY'], flow_json },
        { headers },
      )
      // Another request works on the same key. The answer comes when that request is done.
      return answer.status === 409 ? { ...answer, status: 503 } : answer
    })
  const same = await atOnce(20, (node) => register(node, 'Same'))
  t.same(statuses(same), { 201: 20 })
  t.equal(new Set(same.map(({ body }) => body.id)).size, 1, 'one Flow')
  const others = await atOnce(10, (node, n) => register(node, `Other ${n}`))
  t.equal(new Set(others.map(({ body }) => body.provider_flow_id)).size, 10)
  const { body } = await nodes[0]!.call(tenant.token, 'GET', 'flows?limit=200')
  t.equal(body.data.length, 11)
}

/** `history_import_pairing`: twenty requests for the history of one phone. */
export async function historyIsExact(t: Test): Promise<void> {
  const { number } = await makeTenant(world)
  const answers = await atOnce(20, (node) =>
    patiently(() => node.operator('POST', `channels/${number.channel_id}/history`, {})),
  )
  t.same(statuses(answers), { 201: 1, 409: 19 })
}

/** Ten devices at two nodes say at once that they are one person of the site. Then two people claim one visitor. */
export async function visitorIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const identity_secret = 'the secret with which the site signs'
  const credentials = { visitor_secret: 'the secret of the visitors', identity_secret }
  const fields = { project_id: tenant.project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  const { _id: channel } = await made(() => nodes[0]!.operator('POST', 'channels', fields))
  const exp = Math.floor(Date.now() / 1000) + 3600
  const identity = (sub: string) => identityToken({ sub, aud: channel, exp }, identity_secret)
  const visit = ({ base_url }: ClusterNode, token?: string) => visitPage(t, { base_url, channel, token })
  const named = await atOnce(10, async (node) => (await visit(node)).ask('identify', { token: identity('ana') }))
  const people = new Set(named.map(({ visitor_token }) => visitor_token.split('.')[0]))
  t.equal(people.size, 1, 'one person is one visitor')
  const { token } = await visit(nodes[0]!)
  const tabs = await Promise.all(upTo(6).map((n) => visit(nodes[n % 2]!, token)))
  // The first one ends the session, and so the sockets, of the others.
  const claims = tabs.map((tab, n) => tab.ask('identify', { token: identity(`person-${n}`) }).catch((): Json => ({})))
  const claimed = await Promise.all(claims)
  const won = claimed.filter(({ visitor_token }) => visitor_token?.split('.')[0] === token.split('.')[0])
  t.equal(won.length, 1, 'one visitor is one person')
  const rows = await database.execute<{ count: number }>(
    'select count(*)::int as count from visitor_identity where channel_id = ? and user_id = ?',
    [channel, token.split('.')[0]],
  )
  t.same(rows, [{ count: 1 }])
}

/**
 * `canned_response_own`, `canned_response_shared` and `message_retry`: a shortcut names one text of an agent and one of
 * the project, and a failed message is sent again once.
 */
export async function agentRecordsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { cookie } = await signIn(world, await makeAgent(world, tenant))
  const ask = (node: ClusterNode, path: string, json?: Json): Promise<Answer> =>
    patiently(() =>
      cluster.http('POST', `${node.base_url}/console/projects/${tenant.project_id}/${path}`, {
        ...(json && { json }),
        headers: { cookie, ...ownPage(node) },
      }),
    )
  for (const is_shared of [true, false]) {
    const content = is_shared ? 'Shared' : 'Own'
    const answers = await atOnce(10, (node) => ask(node, 'canned_responses', { shortcut: 'late', content, is_shared }))
    t.equal(answers.filter(({ status }) => status === 201).length, 1, `one ${content.toLowerCase()} text of a shortcut`)
  }
  const { phone_number_id } = tenant.number
  await patiently(() => inbound(nodes[0]!, tenant, `wamid.retried.${phone_number_id}`, '15550180017'))
  await made(world.control('POST', 'faults', { match: { phone_number_id }, error: { code: 131009 } }))
  const { id } = await made(tenant.send('+15550180017', { message: text('Your parcel') }))
  await tenant.message(id, 'failed')
  const answers = await atOnce(10, (node) => ask(node, `messages/${id}/retry`))
  t.same(statuses(answers), { 202: 10 })
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1, 'a failed message is sent again once')
}

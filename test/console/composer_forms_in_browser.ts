/** Contents of the composer beside text: its forms, and files that are dropped or pasted. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const { page, inspect, faults, demo, api, simulator, signIn } = await openAgentWindow(t)
const PHONE = '15554100001'
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'
const SCREEN = {
  id: 'ONE',
  title: 'One',
  terminal: true,
  layout: {
    type: 'SingleColumnLayout',
    children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
  },
}

await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/inbox`)
await signIn()
await page.locator('.connection.live').waitFor()
await simulator('inbound', {
  channel: 'whatsapp',
  from: PHONE,
  name: 'Ana Torres',
  message: { type: 'text', text: { body: 'What do you have?' } },
})
await page.locator('.inbox-row', { hasText: 'Ana Torres' }).getByRole('link').click()
await page.locator('.inbox-message').first().waitFor()

const composer = page.getByRole('region', { name: 'Composer' })
const field = page.getByRole('textbox', { name: 'Reply' })
const dialog = page.getByRole('dialog')
const bubble = (text: string) => page.locator('.inbox-message.is-outbound', { hasText: text })
const send = dialog.getByRole('button', { name: 'Send', exact: true })
const [{ _id: chat_user }] = (await api('GET', `contacts?phone=%2B${PHONE}`)).data

async function openForm(name: string): Promise<void> {
  await composer.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  await send.waitFor()
}

/** The message of this type that the person got. */
const sent = (type: string): Promise<Json> =>
  eventually(`a ${type} is sent`, async () => {
    const { data } = await api('GET', `messages?chat_user=${chat_user}`)
    return data.find((one: Json) => one.direction === 'outbound' && one.type === type)?.message
  })

t.test('a carousel has a picture and a link on each card', async (t) => {
  await openForm('Carousel')
  await send.click()
  await dialog.getByText('Choose a picture.').first().waitFor()
  await dialog.getByLabel('Text above the cards').fill('Our chairs')
  for (const n of [1, 2]) {
    const card = dialog.getByRole('group', { name: `Card ${n}` })
    const file = { name: `chair_${n}.png`, mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') }
    await card.getByLabel('Picture').setInputFiles(file)
    await card.getByText(`chair_${n}.png`).waitFor()
    await card.getByLabel('Text').fill(`Chair ${n}`)
    await card.getByLabel('Button').fill('Look')
    await card.getByLabel('Address').fill(`https://shop.example.com/chairs/${n}`)
  }
  t.same(await inspect('composer-carousel'), [])
  await send.click()
  await bubble('Our chairs').waitFor()
  t.match(await sent('carousel'), {
    cards: [
      { header: { type: 'image', media_id: String }, body_text: 'Chair 1', action: { display_text: 'Look' } },
      { body_text: 'Chair 2', action: { url: 'https://shop.example.com/chairs/2' } },
    ],
  })
})

t.test('a contact is typed, or taken from the contacts', async (t) => {
  await openForm('Contact')
  await dialog.getByLabel('Take one from the contacts').fill('Ana')
  await dialog.getByRole('button', { name: 'Search' }).click()
  await dialog.getByRole('list', { name: 'Found contacts' }).getByRole('button', { name: 'Ana Torres' }).click()
  await eventually('the phone is there', async () => (await dialog.getByLabel('Phone').inputValue()) === `+${PHONE}`)
  await dialog.getByLabel('E-mail').fill('nobody')
  await dialog.getByText('This is no e-mail address.').waitFor()
  await dialog.getByLabel('E-mail').fill('ana@example.com')
  t.same(await inspect('composer-contact'), [])
  await send.click()
  t.match(await sent('contacts'), {
    contacts: [
      {
        name: { formatted_name: 'Ana Torres' },
        phones: [{ phone: `+${PHONE}` }],
        emails: [{ email: 'ana@example.com' }],
      },
    ],
  })
})

t.test('a Flow is chosen among those that are published', async (t) => {
  const flow_json = { version: '7.0', screens: [SCREEN] }
  const make = (name: string) => api('POST', 'flows', { name, categories: ['SURVEY'], flow_json })
  await make('Not yet')
  const { id } = await make('Survey')
  await api('POST', `flows/${id}/publish`)
  await openForm('Form (Flow)')
  await dialog.getByLabel('Text', { exact: true }).fill('How was it?')
  await dialog.getByLabel('Button').fill('Tell us')
  const flows = dialog.getByLabel('Flow', { exact: true }).locator('option')
  // The list of Flows arrives after the form.
  await flows.filter({ hasText: 'Survey' }).waitFor({ state: 'attached' })
  t.equal(await flows.filter({ hasText: 'Not yet' }).count(), 0)
  await dialog.getByLabel('Flow', { exact: true }).selectOption({ label: 'Survey' })
  t.same(await inspect('composer-flow'), [])
  await send.click()
  await bubble('How was it?').waitFor()
  t.match(await sent('flow'), { flow_cta: 'Tell us', body_text: 'How was it?' })
})

t.test('the catalog is sent with a text', async (t) => {
  await openForm('Catalog')
  await send.click()
  await dialog.getByText('Fill this in.').waitFor()
  await dialog.getByLabel('Text').fill('All that we have')
  await dialog.getByLabel('Product of the picture').fill('chair-1')
  t.same(await inspect('composer-catalog'), [])
  await send.click()
  await bubble('All that we have').waitFor()
  t.match(await sent('catalog'), { body_text: 'All that we have', thumbnail_product_retailer_id: 'chair-1' })
})

/** Lets an event bring a picture, as the browser does for a drop or a paste. */
const bring = (place: string, event: string, name: string) =>
  page.evaluate(
    `(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(PICTURE)}), (letter) => letter.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }))
      const common = { bubbles: true, cancelable: true }
      const event = ${JSON.stringify(event)}
      document.querySelector(${JSON.stringify(place)}).dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent(event, { ...common, clipboardData: data })
          : new DragEvent(event, { ...common, dataTransfer: data }),
      )
    })()`,
  )

t.test('files are dropped anywhere on the thread, or pasted, and wait for the agent', async (t) => {
  await bring('.inbox-entries', 'dragover', 'dropped.png')
  await composer.locator('.is-dropping').waitFor()
  t.same(await inspect('composer-dropping'), [])
  await bring('.inbox-entries', 'drop', 'dropped.png')
  await composer.getByRole('button', { name: 'Remove dropped.png' }).waitFor()
  t.equal(await composer.locator('.is-dropping').count(), 0)
  await bring('.composer textarea', 'paste', 'pasted.png')
  await composer.getByRole('button', { name: 'Remove pasted.png' }).waitFor()
  await composer.getByRole('button', { name: 'Remove dropped.png' }).click()
  await eventually('it is uploaded', async () => (await composer.locator('progress').count()) === 0)
  await field.fill('A pasted picture')
  await field.press('Enter')
  await bubble('A pasted picture').locator('.inbox-picture').waitFor()
  t.match(await sent('image'), { caption: 'A pasted picture' })
})

t.test('a closed ticket says so, and is opened again', async (t) => {
  const { data } = await api('GET', `crm/tickets?chat_user=${chat_user}`)
  await api('PATCH', `crm/tickets/${data[0]._id}`, { is_closed: true })
  await composer.getByText('This ticket is closed').waitFor()
  t.equal(await field.count(), 0)
  t.same(await inspect('composer-closed-ticket'), [])
  await composer.getByRole('button', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note', exact: true }).waitFor()
  await composer.getByRole('button', { name: 'Reply' }).click()
  await composer.getByRole('button', { name: 'Reopen' }).click()
  await field.waitFor()
  const isOpen = async () => !(await api('GET', `crm/tickets/${data[0]._id}`)).is_closed
  await eventually('the server knows', isOpen)
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})

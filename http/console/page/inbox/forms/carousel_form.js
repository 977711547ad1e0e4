/** The form of a carousel: cards with a picture and a link. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { FormDialog } from './form_dialog.js'
import { FileInput, given, problemOf, TextInput } from './inputs.js'

/** @typedef {{ file: { media_id: string, name: string } | null, text: string, button: string, url: string }} Card */

const BODY = 1024
const CARD_TEXT = 160
const TITLE = 20
const FEWEST = 2
const MOST = 10
/** @type {Card} */
const EMPTY = { file: null, text: '', button: '', url: '' }

/**
 * @param {import('./form_dialog.js').FormProps} props
 */
export function CarouselForm(props) {
  const [body_text, setBody] = useState('')
  const [cards, setCards] = useState([EMPTY, EMPTY])
  const message = {
    type: 'carousel',
    body_text,
    cards: cards.map(({ file, text, button, url }) => ({
      header: { type: 'image', media_id: file?.media_id },
      body_text: given(text),
      action: { display_text: button.trim(), url: url.trim() },
    })),
  }
  const is_whole = cards.every(
    ({ file, text, button, url }) => file && [...text].length <= CARD_TEXT && !problemOf(button, TITLE) && isLink(url),
  )
  /** @param {number} at @param {Partial<Card>} change */
  const change = (at, change) => setCards(cards.map((card, place) => (place === at ? { ...card, ...change } : card)))
  return html`<${FormDialog} ...${props} title="Carousel" message=${message} is_complete=${!problemOf(body_text, BODY) && is_whole}>
    ${(/** @type {boolean} */ is_tried) => html`
      <${TextInput} label="Text above the cards" value=${body_text} onChange=${setBody} most=${BODY} lines=${2} error=${is_tried ? problemOf(body_text, BODY) : undefined} />
      ${cards.map(
        (card, at) => html`<fieldset key=${at}>
          <legend>Card ${at + 1}</legend>
          <${FileInput} label="Picture" accept="image/jpeg,image/png" compose=${props.compose} api=${props.project.api} value=${card.file} onChange=${(/** @type {Card['file']} */ file) => change(at, { file })} error=${is_tried && !card.file ? 'Choose a picture.' : undefined} />
          <${TextInput} label="Text" value=${card.text} most=${CARD_TEXT} onChange=${(/** @type {string} */ text) => change(at, { text })} />
          <div class="form-row">
            <${TextInput} label="Button" value=${card.button} most=${TITLE} onChange=${(/** @type {string} */ button) => change(at, { button })} error=${is_tried ? problemOf(card.button, TITLE) : undefined} />
            <${TextInput} label="Address" type="url" placeholder="https://" value=${card.url} onChange=${(/** @type {string} */ url) => change(at, { url })} error=${is_tried && !isLink(card.url) ? 'Begin with https://.' : undefined} />
          </div>
          ${cards.length > FEWEST && html`<button type="button" class="link" onClick=${() => setCards(cards.filter((_, place) => place !== at))}>Remove the card</button>`}
        </fieldset>`,
      )}
      ${cards.length < MOST && html`<button type="button" class="link" onClick=${() => setCards([...cards, EMPTY])}>Add a card</button>`}
    `}
  <//>`
}

/** @param {string} text */
function isLink(text) {
  return /^https?:\/\/\S+$/.test(text.trim()) && URL.canParse(text.trim())
}

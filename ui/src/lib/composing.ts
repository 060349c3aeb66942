// Keys of an input method that is composing text must be ignored.

/**
 * Whether a key belongs to an input method. WebKit ends the composition before the event of the confirming key, whose
 * `isComposing` is then false. But the key code 229, which all browsers set for such keys, still shows it.
 */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

// Words that an input method is still putting together: its keys choose among candidates and mean nothing to us.

/**
 * Whether a key belongs to an input method. WebKit ends the composition before it tells of the key that confirmed it,
 * and that key says that nothing is composed any more; the code 229, which every browser gives such keys, still tells.
 */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

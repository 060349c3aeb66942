// Copies text that must be loaded first. The promise is passed to the clipboard within the click, because a page may
// only write to the clipboard then.

export async function copyLater(text: Promise<string>): Promise<void> {
  const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

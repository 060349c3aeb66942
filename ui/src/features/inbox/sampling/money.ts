/** Dollars as text. Small amounts have their significant digits. */
export function dollars(amount: number, language: string): string {
  const digits = amount > 0 && amount < 0.01 ? 4 : amount < 1 ? 3 : 2;
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(amount);
}

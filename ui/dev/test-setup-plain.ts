// Tests without a page have the English texts, and load any others themselves.
import i18next from "i18next";
import { english } from "@/lib/i18n";

void i18next.init({ resources: { en: english }, lng: "en", defaultNS: "common", interpolation: { escapeValue: false } });

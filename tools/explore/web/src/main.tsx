// The entry point: applies the theme, stores a token from the URL, and renders the page.

import { render } from "preact";
import { keepToken } from "./api.ts";
import { Page } from "./page.tsx";
import { keepTheme } from "./theme.ts";
import "./styles/theme.css";
import "./styles/page.css";
import "./styles/views.css";
import "./styles/graph.css";

keepTheme();
keepToken();
render(<Page />, document.getElementById("app")!);

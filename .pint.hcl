# pint (https://cloudflare.github.io/pint) on the rules; it is run by "npm run lint:monitoring". What is switched off has its reason
# next to it.

rule {
  match {
    path = "alerts/generated/.+"
    kind = "alerting"
  }
  label "severity" {
    severity = "bug"
    required = true
    value    = "critical|warning|info"
  }
  annotation "summary" {
    severity = "bug"
    required = true
  }
  annotation "description" {
    severity = "bug"
    required = true
  }
  annotation "runbook_url" {
    severity = "bug"
    required = true
    value    = "https?://.+#.+"
  }
  # A mistake of a second must not wake anybody.
  for {
    severity = "bug"
    min      = "30s"
  }
}

rule {
  match {
    path = "alerts/generated/.+"
    kind = "alerting"
  }
  name "Stacks[A-Za-z]+" {
    severity = "bug"
  }
}

rule {
  match {
    kind = "recording"
  }
  name "stacks:[a-z0-9_]+:[a-z0-9_]+" {
    severity = "bug"
  }
}

# What an outflow is made of has its confirmations: waiting longer proves nothing, and a wallet is emptied meanwhile.
rule {
  match {
    kind = "alerting"
    name = "StacksAddressOutflowHigh"
  }
  disable = ["alerts/for", "rule/for"]
}

# The lowest fee is one of two minutes, and stays until the next poll: half a minute more proves nothing.
rule {
  match {
    kind = "alerting"
    name = "StacksFeeSpike"
  }
  disable = ["alerts/for", "rule/for"]
}

# Without calls, the share of failed calls is NaN, and without successful ones infinite: both are compared as they should be.
rule {
  match {
    kind = "alerting"
    name = "StacksContractCallsFailing"
  }
  disable = ["promql/nan"]
}
